/** Where the trainer's environments and models lie, and how it computes. */
export interface Trainer {
  /** Folder of the environments, and of uv where the machine has none. */
  cache: string;
  /** Folder of the converted models, each named by its GGUF's hash. */
  models: string;
  /** Interpreter that the environment is built from; null: the first on the PATH that fits. */
  python: string | null;
  device: 'cpu' | 'cuda';
  dtype: 'float32' | 'bfloat16';
  threads: number;
  /** Command that is started in the place of `python -m perpetua_trainer`; null: nothing else. */
  program: readonly string[] | null;
  /** A server that samples policies in the place of one of ours, and learns nothing; null: there is none. */
  endpoint: Endpoint | null;
}

/** A server that speaks OpenAI's dialect with token ids and log-probabilities, as vLLM does. */
export interface Endpoint {
  /** Without a slash at its end, e.g. `http://127.0.0.1:8000/v1`. */
  url: string;
  key: string | null;
}
