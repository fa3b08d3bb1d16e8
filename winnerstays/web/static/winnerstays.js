// winnerstays: show two, learn the favourite, in any page. One module without dependencies; types in winnerstays.d.ts.
const origin = new URL("/", import.meta.url).href;

export function connect({ arena, token, url = origin, ...wanted }) {
  const path = `v1/arenas/${encodeURIComponent(arena)}`;
  async function call(method, where, body) {
    const bearer = typeof token === "function" ? await token() : token;
    const headers = { "Content-Type": "application/json" };
    if (bearer) headers.Authorization = `Bearer ${bearer}`;
    const response = await fetch(new URL(where, url), { method, headers, body: body && JSON.stringify(body) });
    const value = await response.json();
    if (!response.ok && !value.next) throw Object.assign(new Error(value.detail), { problem: value });
    return value;
  }
  const answer = (given) => (typeof given === "string" ? { winner: given } : given);
  return {
    ask: (options) => call("POST", `${path}/duels`, { ...wanted, ...options }),
    tell: (duel, given) => call("PUT", `v1/duels/${duel}/outcome`, answer(given)),
    next: (duel, given, options) =>
      call("POST", `v1/duels/${duel}/outcome+next`, { arena, ...wanted, ...options, ...answer(given) }),
    reward: (value = 1, { key, user = wanted.user } = {}) => call("POST", `${path}/rewards`, { value, key, user }),
    items: async () => (await call("GET", `${path}/items`)).items,
  };
}

const style = `:host{display:block;font:inherit}div{display:grid;grid-template-columns:1fr auto 1fr;gap:.75em;align-items:stretch}
.feed{grid-template-columns:repeat(auto-fit,minmax(9em,1fr))}button{font:inherit;cursor:pointer;color:inherit;background:none;border:1px solid color-mix(in srgb,currentColor 30%,transparent);border-radius:.8em;padding:.6em 1em;min-width:0;overflow-wrap:anywhere}
button.item{min-height:7em;font-size:1.25em;font-weight:600}button:hover{border-color:currentColor}button:disabled{opacity:.5}
img{display:block;max-width:100%;max-height:9em;margin:0 auto .4em}p{display:flex;gap:.5em;justify-content:center;margin:.75em 0 0}i{align-self:center}`;

// <winner-stays arena="lunch" token="wsv_..." url="https://duels.example/" among="soups"></winner-stays>
// Other attributes: user, group, without, show (how many items). A list of ids is JSON, such as among='["ramen", "pho"]'.
// Fires "answer" (detail: duel, winner or outcome) after each answer, and "problem" (detail: the error) where one fails.
export class WinnerStays extends HTMLElement {
  async connectedCallback() {
    const of = (name) => this[name] ?? this.getAttribute(name) ?? undefined;
    const list = (name) => (of(name)?.[0] === "[" ? JSON.parse(of(name)) : of(name));
    this.root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
    this.root.adoptedStyleSheets = [sheet];
    this.root.addEventListener("error", (event) => event.target.remove?.(), true);
    await this.attempt(async () => {
      const [arena, token, url, user, group] = ["arena", "token", "url", "user", "group"].map(of);
      const show = Number(this.getAttribute("show") ?? 2);
      const wanted = { user, group, show, among: list("among"), without: list("without") };
      this.client = connect({ arena, token, url, ...wanted });
      this.show(await this.client.ask());
    });
  }

  show(duel) {
    this.duel = duel;
    const button = (words, given, kind = "", picture = "") => {
      const made = Object.assign(document.createElement("button"), { className: kind, onclick: () => this.answer(given) });
      if (picture) made.append(Object.assign(new Image(), { src: picture, alt: "" }));
      made.append(words);
      return made;
    };
    const ids = [duel.left, duel.right, ...duel.more];
    const shown = [duel.left_item, duel.right_item, ...duel.more_items];
    const items = ids.map((id, place) => button(shown[place].title, id, "item", shown[place].picture));
    const pair = document.createElement("div");
    if (items.length === 2) items.splice(1, 0, Object.assign(document.createElement("i"), { textContent: "or" }));
    else pair.className = "feed";
    pair.append(...items);
    const others = document.createElement("p");
    others.append(button("Equally good", { outcome: "tie" }), button("Skip", { outcome: "skip" }));
    this.root.replaceChildren(pair, others);
  }

  answer(given) {
    return this.attempt(async () => {
      for (const button of this.root.querySelectorAll("button")) button.disabled = true;
      const { id } = this.duel;
      const { next } = await this.client.next(id, given);
      this.dispatchEvent(new CustomEvent("answer", { detail: { duel: id, ...(typeof given === "string" ? { winner: given } : given) } }));
      this.show(next);
    });
  }

  async attempt(work) {
    try {
      await work();
    } catch (error) {
      for (const button of this.root.querySelectorAll("button")) button.disabled = false;
      this.dispatchEvent(new CustomEvent("problem", { detail: error }));
    }
  }
}

if (!customElements.get("winner-stays")) customElements.define("winner-stays", WinnerStays);
