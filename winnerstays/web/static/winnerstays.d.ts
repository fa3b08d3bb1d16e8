/** Two items to show, by their ids. */
export interface Duel {
  id: string;
  left: string;
  right: string;
  /** A Unix time; answers after it teach nothing. */
  expires_at: number;
  arena: string;
  user: string | null;
}

/** What became of an answer. */
export interface Receipt {
  duel: string;
  status: "learned" | "noted" | "duplicate" | "conflict" | "late";
  reason: string | null;
  moved_on: boolean;
  arena: string;
}

export interface Item {
  id: string;
  title: string;
  picture: string;
  link: string;
  text: string;
}

/** The id of the chosen item, or another outcome. */
export type Answer = string | { winner: string; reason?: string } | { outcome: "tie" | "skip" | "none"; reason?: string }
  | { session: { page: Page; clicks: number[]; rule?: "clicks" | "first-click" } };

/** What `POST /v1/interleave` gives your server: show `shown`, and send the page back with the clicks on it. */
export interface Page {
  shown: (string | number)[];
  [field: string]: unknown;
}

export interface Options {
  arena: string;
  /** A visitor token, or a function that returns one (as `POST /v1/arenas/{name}/visitors` gives it to your server). */
  token?: string | (() => string | Promise<string>);
  /** The address of the service; the one this module came from, if left out. */
  url?: string;
}

export interface Client {
  ask(user?: string): Promise<Duel>;
  tell(duel: string, answer: Answer): Promise<Receipt>;
  /** Answer and ask in one round trip. */
  next(duel: string, answer: Answer, user?: string): Promise<{ receipt: Receipt; next: Duel }>;
  items(): Promise<Item[]>;
}

export function connect(options: Options): Client;

/** `<winner-stays arena="..." token="..." url="...">`; fires `answer` and `problem`. */
export class WinnerStays extends HTMLElement {
  token?: Options["token"];
  client: Client;
  answer(given: Answer): Promise<void>;
}
