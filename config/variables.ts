/** One environment variable: `key` is its name in Config, `secret` values are never shown. */
export interface Variable {
  name: string;
  default: string;
  doc: string;
  secret?: boolean;
}

/** Every variable Perpetua reads, for `docs/reference/environment.md`. */
export const VARIABLES: readonly Variable[] = [
  {
    name: 'PERPETUA_HOME',
    default: '~/.perpetua; in a clone: its .perpetua',
    doc: 'Folder of all state: data, binaries, runs, logs.',
  },
  {
    name: 'DATABASE_URL',
    default: 'embedded Postgres',
    doc: 'postgres:// URL of your own Postgres. If set, Perpetua starts none.',
    secret: true,
  },
  {
    name: 'TEMPORAL_ADDRESS',
    default: 'embedded server',
    doc: 'host:port of your own Temporal. If set, Perpetua starts none.',
  },
  { name: 'TEMPORAL_NAMESPACE', default: 'default', doc: 'Namespace on that server.' },
  { name: 'TEMPORAL_API_KEY', default: 'none', doc: 'API key for Temporal; implies TLS.', secret: true },
  {
    name: 'TEMPORAL_TLS',
    default: 'false',
    doc: 'TLS; with TEMPORAL_TLS_* for certificates, as in every Temporal SDK.',
  },
  { name: 'TEMPORAL_PROFILE', default: 'none', doc: 'Profile of the temporal.toml (also TEMPORAL_CONFIG_FILE).' },
  { name: 'TEMPORAL_CLI_PATH', default: '`temporal` on the PATH', doc: 'Binary that the embedded server runs from.' },
  { name: 'OPENAI_BASE_URL', default: "OpenAI's", doc: 'Any OpenAI-compatible endpoint.' },
  {
    name: 'OPENAI_API_KEY',
    default: 'none',
    doc: 'Key of the model endpoint. If it or OPENAI_BASE_URL is set, the default proposer is `llm`.',
    secret: true,
  },
  {
    name: 'ANTHROPIC_BASE_URL',
    default: "Anthropic's",
    doc: "Any endpoint that speaks Anthropic's Messages.",
  },
  {
    name: 'ANTHROPIC_API_KEY',
    default: 'none',
    doc: 'Key of that endpoint. `llm` and agents have the endpoint if it or ANTHROPIC_BASE_URL is set.',
    secret: true,
  },
  {
    name: 'ANTHROPIC_MODEL',
    default: 'none',
    doc: 'Model that `llm` asks there if the task names none. With it, the default proposer is `llm`.',
  },
  {
    name: 'GOOGLE_GEMINI_BASE_URL',
    default: "Google's",
    doc: "Any endpoint that speaks Gemini's generateContent.",
  },
  {
    name: 'GEMINI_API_KEY',
    default: 'none',
    doc: 'Key of that endpoint. `llm` and agents have the endpoint if it or GOOGLE_GEMINI_BASE_URL is set.',
    secret: true,
  },
  {
    name: 'GEMINI_MODEL',
    default: 'none',
    doc: 'Model that `llm` asks there if the task names none. With it, the default proposer is `llm`.',
  },
  {
    name: 'OPENAI_MODEL',
    default: 'gpt-5-mini',
    doc: 'Model that `llm` asks at the OpenAI-compatible endpoint if the task names none.',
  },
  {
    name: 'PERPETUA_PRICES',
    default: '{}',
    doc: 'USD per million tokens, by model: {"name": {"input": 0.25, "output": 2}}. A money budget needs a price.',
  },
  {
    name: 'PERPETUA_CALL_DAYS',
    default: 'they stay',
    doc:
      'Days after the end of a trial, after which workers remove the requests and answers of its model calls. ' +
      'Tokens, cost and errors stay. `perpetua clean` removes them, too.',
  },
  { name: 'PERPETUA_SLOTS', default: 'cores − 1, at least 1', doc: 'Number of runs at once on this machine.' },
  {
    name: 'PERPETUA_AGENTS',
    default: 'half of the cores, at least 1',
    doc: 'Number of coding agents (proposer `command`) at once on this machine. They hold no slot.',
  },
  {
    name: 'PERPETUA_GPUS',
    default: 'CUDA_VISIBLE_DEVICES, else auto',
    doc:
      'GPUs of this machine that are slots of the pool gpu: ' +
      'auto (all of them), none, or indices and UUIDs by commas.',
  },
  { name: 'PERPETUA_LOG_LEVEL', default: 'info', doc: 'trace, debug, info, warn, error or silent.' },
  {
    name: 'PERPETUA_METRICS',
    default: 'none',
    doc: 'IP address:port where a worker serves the metrics of the Temporal SDK to Prometheus, under /metrics.',
  },
  {
    name: 'PERPETUA_MCP_TOKEN',
    default: 'a new one for each server',
    doc: 'Token that a client of `perpetua mcp --http` has to send: at least 16 visible ASCII characters.',
    secret: true,
  },
  {
    name: 'PERPETUA_TRAINER_CACHE',
    default: '~/.cache/perpetua/trainer',
    doc:
      'Folder of the Python environments of the trainer (5.4 GB) and of the optimizer (260 MB) and, in its folder ' +
      'models, of converted models. Default of the models: ~/.cache/perpetua/models.',
  },
  {
    name: 'PERPETUA_AGENT_CACHE',
    default: '~/.cache/perpetua/agents',
    doc: 'Folder of the coding agents that `perpetua agents install` installs (200 to 430 MB each).',
  },
  {
    name: 'PERPETUA_PYTHON',
    default: 'first that fits on the PATH',
    doc:
      'Interpreter, 3.11 to 3.14, that the environments of trainer, optimizer and coding agents in Python are built ' +
      'from.',
  },
  { name: 'PERPETUA_TRAINER_DEVICE', default: 'cpu', doc: 'Where a policy samples and learns: cpu or cuda.' },
  {
    name: 'PERPETUA_TRAINER_DTYPE',
    default: 'float32',
    doc: 'Number type of weights that do not learn: float32 or bfloat16.',
  },
  { name: 'PERPETUA_TRAINER_THREADS', default: '1', doc: 'Threads of a policy server.' },
  {
    name: 'PERPETUA_POLICY_PROGRAM',
    default: 'none',
    doc:
      'JSON array of a command and its first arguments. ' +
      'Perpetua starts it as the policy server instead of `python -m perpetua_trainer`.',
  },
  {
    name: 'PERPETUA_POLICY_URL',
    default: 'none',
    doc:
      'Server that samples policies instead of the trainer, ' +
      'with token ids and log-probabilities, as vLLM does. Policies do not learn then.',
  },
  { name: 'PERPETUA_POLICY_KEY', default: 'none', doc: 'Key for that server.', secret: true },
  {
    name: 'https_proxy',
    default: 'none',
    doc:
      'URL of the HTTP proxy for https addresses; http_proxy for http addresses, all_proxy for both. ' +
      'Upper case works, too. Addresses of this machine never go through a proxy.',
    secret: true,
  },
  {
    name: 'no_proxy',
    default: 'none',
    doc: 'Hosts that need no proxy, by commas: names, domains, IP addresses and subnets, each with a port or without.',
  },
  {
    name: 'SSL_CERT_FILE',
    default: 'none',
    doc: "PEM file of certificates that connections to model endpoints trust besides Node's own.",
  },
  {
    name: 'SSH_AUTH_SOCK',
    default: 'none',
    doc: "Socket of your SSH agent, whose keys open the fleet's hosts; ssh-agent sets it.",
  },
  {
    name: 'PERPETUA_KEEPALIVE',
    default: '5',
    doc: 'Tests only: seconds between two keep-alives of a host. Three without an answer end its connection.',
  },
  {
    name: 'PERPETUA_KILL_FILE',
    default: 'none',
    doc: 'Tests only: file that names a kill point. The first process at that point takes the file and kills itself.',
  },
];

const NAMES = new Set(VARIABLES.map((variable) => variable.name));
/** Table of the variables as text, one a line, for terminals. */
export function describeVariables(): string {
  const width = Math.max(...[...NAMES].map((name) => name.length));
  return VARIABLES.map(({ name, doc, ...rest }) => `  ${name.padEnd(width)}  ${doc} Default: ${rest.default}.`).join(
    '\n',
  );
}
