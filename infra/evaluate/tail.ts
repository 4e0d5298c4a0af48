/** The last part of a text that comes in pieces; `limit` in characters. */
export class Tail {
  readonly #limit: number;
  #text = '';

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(text: string): void {
    this.#text = (this.#text + text).slice(-this.#limit);
  }

  get text(): string {
    return this.#text;
  }
}
