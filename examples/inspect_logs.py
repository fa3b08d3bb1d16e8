"""Which of several Inspect evaluations (inspect_ai) has the best answers, by a model of Inspect as judge?

`python inspect_logs.py openai/gpt-4o "which answer is more helpful?" logs/one.eval logs/two.eval`
"""

import sys

from inspect_ai.log import read_eval_log
from inspect_ai.model import get_model

from winnerstays import PickResult, pick

QUESTION = "{criterion}\n\nTask:\n{task}\n\nAnswer A:\n{left}\n\nAnswer B:\n{right}\n\nReply with A, B or tie alone."
CHOICES = {"a": "left", "b": "right", "tie": "tie"}


def best_log(model: str, criterion: str, paths: list[str], **options) -> PickResult:
    """Compare the answers in logs of the same task, sample by sample; the options are those of `pick`."""
    samples = {path: {sample.id: sample for sample in read_eval_log(path).samples} for path in paths}
    shared = sorted(set.intersection(*(set(answers) for answers in samples.values())), key=str)
    grader = get_model(model)

    async def judge(left, right, sample):
        answers = {"left": left[sample].output.completion, "right": right[sample].output.completion}
        asked = QUESTION.format(criterion=criterion, task=left[sample].input, **answers)
        reply = await grader.generate(asked)
        return CHOICES[reply.completion.strip().lower()]  # another reply has failed, and is asked again

    settings = {"swap": "auto", "concurrency": 16, "judge_id": f"{model}: {criterion}"}
    return pick(samples, judge, examples=shared, **settings | options)


if __name__ == "__main__":
    print(best_log(sys.argv[1], sys.argv[2], sys.argv[3:]))
