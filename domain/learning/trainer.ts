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
}
