"""A person at the play page, in a browser."""

from winnerstays.problems.builtin import SUSHI_NAMES

SUSHI = list(reversed(SUSHI_NAMES))
"""What the person likes, best first."""
KEYS = {"left": "ArrowLeft", "right": "ArrowRight", "tie": "ArrowUp", "skip": "ArrowDown", "undo": "Control+z"}


def shown(page):
    """The two items on the screen: left, right."""
    return tuple(page.locator(f"[data-choice={side}]").get_attribute("value") for side in ("left", "right"))


def duel(page):
    return page.locator("[name=duel]").get_attribute("value")


def press(page, choice):
    page.keyboard.press(KEYS[choice])


def click(page, choice):
    page.locator(f"[data-choice={choice}]").click()


def tap(page, choice):
    page.locator(f"[data-choice={choice}]").tap()


def answer(page, choice, by=press):
    """Answer and wait for the next pair."""
    before = duel(page)
    by(page, choice)
    page.locator(f"[name=duel]:not([value='{before}'])").wait_for(state="attached")


def play(page, duels, by=press, likes=SUSHI):
    """Answer this many duels as someone who always knows what they like better."""
    for _ in range(duels):
        left, right = shown(page)
        answer(page, "left" if likes.index(left) < likes.index(right) else "right", by)


def answers(page):
    """How many answers the page counts."""
    return int(page.locator("[data-answers]").inner_text())


def play_to_the_end(page, likes=SUSHI, most=100):
    """Answer until the page shows the result; return after how many duels."""
    for duels in range(most):
        if page.locator(".result").count():
            return duels
        left, right = shown(page)
        before = duel(page)
        press(page, "left" if likes.index(left) < likes.index(right) else "right")
        page.locator(f"[name=duel]:not([value='{before}']), .result").first.wait_for(state="attached")
    raise AssertionError(f"The game goes on after {most} duels.")
