/** What a person is told of a key of task.yaml. */
export interface KeyWords {
  type: string;
  /** Markdown; links are those of `docs/reference/`. */
  meaning: string;
  /** What holds where the key is left out and has no default of its own. */
  otherwise?: string;
}
