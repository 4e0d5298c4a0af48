/** Configuration of the trainer: folders of its environments and models, device and precision. */
export interface Trainer {
  /** Folder of the environments, and of uv if the machine has none. */
  cache: string;
  /** Folder of the converted models, each named by its GGUF's hash. */
  models: string;
  /** Interpreter from which the environment is built; null: the first suitable one on the PATH. */
  python: string | null;
  device: 'cpu' | 'cuda';
  dtype: 'float32' | 'bfloat16';
  threads: number;
  /** Command that replaces `python -m perpetua_trainer`; null: no replacement. */
  program: readonly string[] | null;
  /** External server that samples policies instead of Perpetua's own and does not learn; null: none. */
  endpoint: Endpoint | null;
}

/** A server that speaks OpenAI's dialect with token ids and log-probabilities, as vLLM does. */
export interface Endpoint {
  /** Without a slash at its end, e.g. `http://127.0.0.1:8000/v1`. */
  url: string;
  key: string | null;
}
