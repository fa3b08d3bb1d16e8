// The play page: an answer is sent in the background, and the server's next pair takes the place of the last one.
const board = document.getElementById("board");
const lost = document.getElementById("lost");
const say = document.getElementById("say");
const keys = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "tie", ArrowDown: "skip" };
const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
let sending = false;

// Send a form until it is answered; what the server shows takes the place of the board.
async function exchange(form, body, refused) {
  sending = true;
  for (let pause = 250; ; pause = Math.min(2 * pause, 4000)) {
    try {
      const response = await fetch(form.action, { method: "POST", body, headers: { "X-Fragment": "board" } });
      if ([429, 503].includes(response.status)) throw new Error("later"); // the same answer twice is learned once
      if (!response.ok || response.redirected) return refused();
      board.innerHTML = await response.text();
      break;
    } catch {
      lost.hidden = false;
      await wait(pause);
    }
  }
  lost.hidden = true;
  sending = false;
  say.textContent = board.querySelector("form").dataset.say;
}

async function send(button) {
  if (sending) return;
  const form = button.form;
  const body = new URLSearchParams(new FormData(form, button));
  form.querySelector(".duel")?.classList.add("answered");
  button.classList.add("chosen");
  const focused = board.contains(document.activeElement) ? button.dataset.choice : null;
  await exchange(form, body, () => location.reload());
  if (focused) board.querySelector(`[data-choice="${focused}"]`)?.focus();
  board.dispatchEvent(new Event("answered"));
}

// The page comes without a pair: only whoever sees it is a visitor. What is refused is shown as the form's own page.
async function start(form) {
  if (document.prerendering) await new Promise((seen) => document.addEventListener("prerenderingchange", seen, { once: true }));
  await exchange(form, new URLSearchParams(new FormData(form)), () => form.submit());
}

board.addEventListener("submit", (event) => {
  if (!event.submitter) return;
  event.preventDefault();
  send(event.submitter);
});

addEventListener("keydown", (event) => {
  if (event.repeat || event.altKey || event.shiftKey || event.target.closest("input, select, textarea, summary")) return;
  const undo = event.key === "z" && (event.ctrlKey || event.metaKey);
  const choice = undo ? "undo" : event.ctrlKey || event.metaKey ? undefined : keys[event.key];
  const button = choice && board.querySelector(`[data-choice="${choice}"]:not(:disabled)`);
  if (!button) return;
  event.preventDefault();
  send(button);
});

// A picture that is none makes way for the title.
const drop = (picture) => picture.remove();
board.addEventListener("error", (event) => event.target.matches?.("img.picture") && drop(event.target), true);
for (const picture of board.querySelectorAll("img.picture")) if (picture.complete && !picture.naturalWidth) drop(picture);
if (board.querySelector(".waiting")) start(board.querySelector("form"));
