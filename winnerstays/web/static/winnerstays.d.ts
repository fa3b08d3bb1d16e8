/** What a page shows of an item. */
export interface Shown {
  title: string;
  picture: string;
  link: string;
  text: string;
}

export interface Item extends Shown {
  id: string;
}

/** Who chose the pair, where people are compared: `random` and `fixed` are the control group. */
export type Arm = "learner" | "random" | "fixed";

/** Two items to show, by their ids, or more of them: left, right, and `more`. */
export interface Duel {
  id: string;
  left: string;
  right: string;
  left_item: Shown;
  right_item: Shown;
  /** A Unix time; answers after it teach nothing. */
  expires_at: number;
  arena: string;
  user: string | null;
  arm: Arm | null;
  /** Which items of the request's lists were passed over. */
  warning: string | null;
  /** Further items, where more than two are shown at once. */
  more: string[];
  more_items: Shown[];
}

/** What became of an answer. */
export interface Receipt {
  duel: string;
  status:
    | "learned" | "noted" | "undone" | "duplicate"
    | "conflict" | "late" | "busy" | "unknown" | "wrong-user" | "invalid";
  reason: string | null;
  moved_on: boolean;
  arena: string;
}

/** A reward that is in the log. */
export interface Reward {
  arena: string;
  user: string;
  value: number;
  key: string | null;
  arm: Arm | null;
  /** Whether it was there before, with this key. */
  duplicate: boolean;
}

/** The id of the chosen item, or another outcome; `undo` takes the visitor's latest answer back. */
export type Answer = string | (Outcome & { reason?: string });
export type Outcome =
  | { winner: string }
  | { outcome: "tie" | "skip" | "none" | "undo" }
  | { session: { page: Page; clicks: number[]; rule?: "clicks" | "first-click" } };

/** What `POST /v1/interleave` gives your server: show `shown`, and send the page back with the clicks on it. */
export interface Page {
  shown: (string | number)[];
  [field: string]: unknown;
}

/** Which items may be shown, and to whom. */
export interface Wanted {
  /** Left out, the user of the token. */
  user?: string;
  /** The ids of the items that may be shown, or the name of a set. */
  among?: string[] | string;
  /** The ids of the items that may not be shown, or the name of a set. */
  without?: string[] | string;
  /** The user's group, such as a country; the browser's token may hold it. */
  group?: string;
  /** How many items are shown at once; two, if left out. */
  show?: number;
}

export interface Ask extends Wanted {
  /** Another duel than the one that is open. */
  fresh?: boolean;
  /** For several open duels: the one at this place, from 0. */
  place?: number;
}

/** `Wanted` holds for each duel that the client asks for. */
export interface Options extends Wanted {
  arena: string;
  /** A visitor token, or a function that returns one (as `POST /v1/arenas/{name}/visitors` gives it to your server). */
  token?: string | (() => string | Promise<string>);
  /** The address of the service; the one this module came from, if left out. */
  url?: string;
}

/** What a refused request is rejected with. */
export interface Problem extends Error {
  problem: { type: string; title: string; status: number; detail: string; request_id?: string; receipt?: Receipt | null };
}

export interface Client {
  ask(options?: Ask): Promise<Duel>;
  tell(duel: string, answer: Answer): Promise<Receipt>;
  /** Answer and ask in one round trip. A conflict or a late answer is no error here: the receipt may be missing. */
  next(duel: string, answer: Answer, options?: Wanted): Promise<{ receipt: Receipt; next: Duel }>;
  /** Log what the visitor did that counts: 1 for a conversion, or an amount; once for each key. */
  reward(value?: number, options?: { key?: string; user?: string }): Promise<Reward>;
  items(): Promise<Item[]>;
}

export function connect(options: Options): Client;

/** `<winner-stays arena="..." token="..." url="..." among="...">`; a list is JSON in an attribute. */
export class WinnerStays extends HTMLElement {
  token?: Options["token"];
  among?: Wanted["among"];
  without?: Wanted["without"];
  user?: Wanted["user"];
  group?: Wanted["group"];
  url?: Options["url"];
  client: Client;
  duel?: Duel;
  connectedCallback(): Promise<void>;
  show(duel: Duel): void;
  answer(given: Answer): Promise<void>;
  addEventListener<Name extends keyof WinnerStaysEvents>(
    name: Name, listener: (event: WinnerStaysEvents[Name]) => void, options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(name: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
}

export interface WinnerStaysEvents extends HTMLElementEventMap {
  /** An answer was given. */
  answer: CustomEvent<{ duel: string } & Outcome>;
  /** Something failed. */
  problem: CustomEvent<Problem | Error>;
}

declare global {
  interface HTMLElementTagNameMap {
    "winner-stays": WinnerStays;
  }
}
