"""winnerstays.d.ts says what winnerstays.js and the service do, checked by the TypeScript compiler."""

import json
import shutil
import subprocess

import pytest

from tests.service.serving import service
from tests.web import typescript
from winnerstays.service.schemas import AskBody, NextBody
from winnerstays.web.pages import STATIC

TSC = typescript.find()
needs_compiler = pytest.mark.skipif(TSC is None, reason=typescript.MISSING)
SAME = """
import * as declared from "./winnerstays";
import * as actual from "./inferred/winnerstays";
type Same<A, B> = [A, B] extends [B, A] ? true : { missing: Exclude<A, B>, extra: Exclude<B, A> };
const exported: Same<keyof typeof declared, keyof typeof actual> = true;
const client: Same<keyof declared.Client, keyof ReturnType<typeof actual.connect>> = true;
type Element = Exclude<keyof actual.WinnerStays, "attempt" | "root">;
const element: Same<Extract<keyof declared.WinnerStays, Element>, Element> = true;
"""
USE = """
import { connect, type Client, type Duel, type Problem, type WinnerStays } from "./winnerstays";

const client: Client = connect({ arena: "lunch", token: async () => "wsv_", url: "/", user: "ada", among: "soups" });
const feed: Duel = await client.ask({ among: ["a"], without: "set", group: "de", fresh: true, place: 0, show: 4 });
const items: string[] = [feed.left, feed.right, ...feed.more];
const { receipt, next } = await client.next(feed.id, items[0], { among: "soups", show: 2 });
await client.tell(next.id, { outcome: "skip", reason: receipt.reason ?? next.warning ?? "" });
await client.reward(2.5, { key: "order 17" });
const element: WinnerStays = document.createElement("winner-stays");
element.among = (await client.items()).map((item) => item.id);
element.addEventListener("answer", (event) => { const id: string = event.detail.duel; });
client.tell("x", "a").catch((error: Problem) => error.problem.detail);
// @ts-expect-error
connect({});
// @ts-expect-error
client.ask("ada");
// @ts-expect-error
client.tell("x", { outcome: "best" });
// @ts-expect-error
client.next("x", "a", { fresh: true });
"""


def compile_(folder, *words):
    done = subprocess.run([TSC, *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def folder(tmp_path):
    shutil.copy(STATIC / "winnerstays.d.ts", tmp_path)
    return tmp_path


STRICT = ("--strict", "--noEmit", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler")


@needs_compiler
def test_the_types_are_those_of_the_module(folder):
    """What it exports, the client's methods, the element's: none is missing, none is invented."""
    source = folder / "source"
    source.mkdir()
    shutil.copy(STATIC / "winnerstays.js", source)
    inferred = ("--allowJs", "--declaration", "--emitDeclarationOnly", "--target", "es2022", "--outDir", "inferred")
    compile_(folder, *inferred, "source/winnerstays.js")
    (folder / "same.ts").write_text(SAME)
    (folder / "use.ts").write_text(USE)
    compile_(folder, *STRICT, "use.ts")
    compile_(folder, *STRICT, "--skipLibCheck", "same.ts")
    (folder / "wrong.ts").write_text(SAME.replace('"attempt" | "root"', '"root"'))
    with pytest.raises(AssertionError, match="attempt"):
        compile_(folder, *STRICT, "--skipLibCheck", "wrong.ts")


@needs_compiler
def test_what_the_service_sends_has_these_types(folder):
    """Literals of whole replies: a field that the types lack, or that the service does not send, is an error."""
    with service() as client:
        client.arenas.create("lunch", ["a", "b", "c", {"id": "d", "title": "D"}], holdout=0.5, seed=1)
        duels, path = {}, "/v1/arenas/lunch/duels"
        for show in (2, 4):
            duels[show] = client.post(path, json={"user": f"ada {show}", "show": show}).raise_for_status().json()
        answered = {"winner": duels[4]["more"][0], "arena": "lunch", "user": "ada 4"}
        both = client.post(f"/v1/duels/{duels[4]['id']}/outcome+next", json=answered).raise_for_status().json()
        reward = client.post("/v1/arenas/lunch/rewards", json={"user": "ada 4"}).raise_for_status().json()
        items = client.get("/v1/arenas/lunch/items").json()["items"]
        problem = client.post(path, json={"user": "ada", "show": 99}).json()
    values = {
        "Duel[]": [*duels.values(), both["next"]], "Receipt": both["receipt"], "Reward": reward, "Item[]": items,
        'Problem["problem"]': problem,
    }  # fmt: skip
    lines = [f"export const v{n}: t.{kind} = {json.dumps(value)};" for n, (kind, value) in enumerate(values.items())]
    (folder / "replies.ts").write_text('import type * as t from "./winnerstays";\n' + "\n".join(lines))
    compile_(folder, *STRICT, "replies.ts")


def test_the_options_are_those_of_the_service():
    """Whatever a request may hold can be said in the page, and nothing else."""
    text = (STATIC / "winnerstays.d.ts").read_text()

    def fields(interface):
        body = text.split(f"interface {interface} ")[1].split("{", 1)[1].split("\n}")[0]
        return {line.split("?")[0].strip() for line in body.splitlines() if "?:" in line}

    assert fields("Wanted") == set(NextBody.model_fields) - {"arena", "winner", "outcome", "reason", "session"}
    assert fields("Wanted") | fields("Ask") == set(AskBody.model_fields)
