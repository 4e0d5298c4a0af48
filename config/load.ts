import { availableParallelism, homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { defaultHome, packageRoot } from './paths.ts';
import { loadTemporal, type TemporalConfig } from './temporal.ts';
import { gpusVisible, type OwnGpus, parseOwnGpus } from '../domain/fleet/own-gpus.ts';
import type { Trainer } from '../domain/learning/trainer.ts';
import { loadTrainer, TrainerVariables } from './trainer.ts';
import { VARIABLES } from './variables.ts';

/** USD per million tokens. */
export type Price = z.infer<typeof Price>;
const Price = z.strictObject({ input: z.number().min(0), output: z.number().min(0) });

/** Configuration from the environment; null for a variable that is unset and has no default. */
export interface Config {
  packageRoot: string;
  /** Absolute folder of all state. */
  home: string;
  /** URL of an existing Postgres; null: the embedded one is started. */
  databaseUrl: string | null;
  temporal: TemporalConfig;
  /** Binary of the embedded server; null: search for one. */
  temporalCliPath: string | null;
  openai: { baseUrl: string | null; apiKey: string | null; model: string; prices: Record<string, Price> };
  /** Endpoints that speak Anthropic's Messages and Gemini's protocol. `model`: the model that `llm` asks by default. */
  anthropic: { baseUrl: string | null; apiKey: string | null; model: string | null };
  gemini: { baseUrl: string | null; apiKey: string | null; model: string | null };
  trainer: Trainer;
  /** Folder of the installed coding agents. */
  agentCache: string;
  /** Days after the end of a trial, after which request and answer of its model calls are removed; null: never. */
  callDays: number | null;
  /** Number of runs at once on this machine. */
  slots: number;
  /** Number of coding agents at once on this machine. */
  agentPlaces: number;
  /** GPUs of this machine that are also slots. */
  ownGpus: OwnGpus;
  /** CUDA_VISIBLE_DEVICES, even if it is empty; null if it is unset. */
  visibleGpus: string | null;
  /** CUDA_DEVICE_ORDER, in which CUDA numbers the GPUs; null if it is unset. */
  gpuOrder: string | null;
  logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Address (host:port) at which a worker serves metrics to Prometheus. */
  metricsAddress: string | null;
  /** Socket of the user's SSH agent. */
  sshAgent: string | null;
  /** Seconds between two signs of life of a host; null: the adapter's default. */
  aliveSeconds: number | null;
  /** Token that a client of `perpetua mcp --http` has to send; null: a new one for each server. */
  mcpToken: string | null;
  /** Tests only: a file that names the kill point at which the process dies. */
  killFile: string | null;
  /** Environment of this process, for compilers and downloads. */
  env: Readonly<Record<string, string>>;
}

/** Error in the environment. The message names each variable with the expected and the actual value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const prices = z.string().transform((text, context) => {
  try {
    return z.record(z.string(), Price).parse(JSON.parse(text));
  } catch (error) {
    context.addIssue(
      `JSON like {"model": {"input": 0.25, "output": 2}} in USD per million tokens` +
        (error instanceof z.ZodError ? ` (${error.issues[0]?.path.join('.')}: ${error.issues[0]?.message})` : ''),
    );
    return z.NEVER;
  }
});
const gpus = z
  .string()
  .transform((text, context) => {
    const parsed = parseOwnGpus(text);
    if (parsed !== null) return parsed;
    context.addIssue('auto, none, or indices and UUIDs by commas, as nvidia-smi -L names them');
    return z.NEVER;
  })
  .optional();
const count = z
  .string()
  .regex(/^[1-9]\d{0,3}$/, 'a whole number from 1 to 9999')
  .transform(Number)
  .optional();
const url = (protocol: RegExp, expected: string) => z.url({ protocol, error: expected });

const Environment = z.object({
  ...TrainerVariables,
  PERPETUA_AGENT_CACHE: z.string().optional(),
  DATABASE_URL: url(/^postgres(ql)?$/, 'a URL like postgres://user:password@host:5432/name').optional(),
  OPENAI_BASE_URL: url(/^https?$/, 'a URL like http://127.0.0.1:8000/v1').optional(),
  OPENAI_API_KEY: z.string().optional(),
  ANTHROPIC_BASE_URL: url(/^https?$/, 'a URL like https://api.anthropic.com').optional(),
  ANTHROPIC_API_KEY: z.string().optional(),
  ANTHROPIC_MODEL: z.string().optional(),
  GOOGLE_GEMINI_BASE_URL: url(/^https?$/, 'a URL like https://generativelanguage.googleapis.com').optional(),
  GEMINI_API_KEY: z.string().optional(),
  GEMINI_MODEL: z.string().optional(),
  OPENAI_MODEL: z.string().default('gpt-5-mini'),
  PERPETUA_PRICES: prices.prefault('{}'),
  PERPETUA_SLOTS: count,
  PERPETUA_AGENTS: count,
  PERPETUA_CALL_DAYS: z
    .string()
    .regex(/^[1-9]\d{0,4}$/, 'a whole number of days from 1 to 99999')
    .transform(Number)
    .optional(),
  PERPETUA_GPUS: gpus,
  PERPETUA_LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], 'trace, debug, info, warn, error or silent')
    .default('info'),
  PERPETUA_KEEPALIVE: z
    .string()
    .regex(/^([1-9]\d{0,3}(\.\d)?|0\.[1-9])$/, 'seconds from 0.1 to 9999')
    .transform(Number)
    .optional(),
  PERPETUA_MCP_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{16,}$/, 'at least 16 visible ASCII characters')
    .optional(),
  PERPETUA_METRICS: z
    .string()
    .regex(/^(\[[0-9a-f:.]+\]|\d+(\.\d+){3}):\d{1,5}$/i, 'an IP address and a port like 127.0.0.1:9464')
    .optional(),
});

/** Reads the environment; nothing else in Perpetua does. Throws ConfigError with every problem at once. */
export function loadConfig(env: NodeJS.ProcessEnv = process.env, cwd: string = process.cwd()): Config {
  // An empty variable counts as unset: `FOO= perpetua up` and compose files mean it so.
  const set = Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''),
  );
  const parsed = Environment.safeParse(set);
  if (!parsed.success) throw new ConfigError(parsed.error.issues.map((issue) => describe(issue, set)).join('\n'));
  const root = packageRoot();
  const value = parsed.data;
  return {
    packageRoot: root,
    home: set.PERPETUA_HOME ? resolve(cwd, set.PERPETUA_HOME) : defaultHome(cwd, root),
    databaseUrl: value.DATABASE_URL ?? null,
    temporal: loadTemporal(set, (message) => new ConfigError(message)),
    temporalCliPath: set.TEMPORAL_CLI_PATH ? resolve(cwd, set.TEMPORAL_CLI_PATH) : null,
    openai: {
      baseUrl: value.OPENAI_BASE_URL ?? null,
      apiKey: value.OPENAI_API_KEY ?? null,
      model: value.OPENAI_MODEL,
      prices: value.PERPETUA_PRICES,
    },
    anthropic: {
      baseUrl: value.ANTHROPIC_BASE_URL ?? null,
      apiKey: value.ANTHROPIC_API_KEY ?? null,
      model: value.ANTHROPIC_MODEL ?? null,
    },
    gemini: {
      baseUrl: value.GOOGLE_GEMINI_BASE_URL ?? null,
      apiKey: value.GEMINI_API_KEY ?? null,
      model: value.GEMINI_MODEL ?? null,
    },
    trainer: loadTrainer(value, cwd),
    agentCache: resolve(cwd, value.PERPETUA_AGENT_CACHE ?? join(homedir(), '.cache', 'perpetua', 'agents')),
    callDays: value.PERPETUA_CALL_DAYS ?? null,
    slots: value.PERPETUA_SLOTS ?? Math.max(1, availableParallelism() - 1),
    agentPlaces: value.PERPETUA_AGENTS ?? Math.max(1, Math.floor(availableParallelism() / 2)),
    // An empty CUDA_VISIBLE_DEVICES does not count as unset: it hides all GPUs.
    ownGpus: value.PERPETUA_GPUS ?? gpusVisible(env.CUDA_VISIBLE_DEVICES),
    visibleGpus: env.CUDA_VISIBLE_DEVICES ?? null,
    gpuOrder: set.CUDA_DEVICE_ORDER ?? null,
    logLevel: value.PERPETUA_LOG_LEVEL,
    metricsAddress: value.PERPETUA_METRICS ?? null,
    sshAgent: set.SSH_AUTH_SOCK ?? null,
    aliveSeconds: value.PERPETUA_KEEPALIVE ?? null,
    mcpToken: value.PERPETUA_MCP_TOKEN ?? null,
    killFile: set.PERPETUA_KILL_FILE ?? null,
    env: set,
  };
}

function describe(issue: z.core.$ZodIssue, env: Record<string, string>): string {
  const name = String(issue.path[0]);
  const secret = VARIABLES.some((variable) => variable.name === name && variable.secret);
  const got = secret ? 'something else (not shown, it may hold a password)' : JSON.stringify(env[name]);
  return `${name}: expected ${issue.message}, got ${got}. Correct or unset it.`;
}
