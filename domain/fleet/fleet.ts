import { z } from 'zod';
import { FIELD_MAXIMA } from '../schema/fields.ts';

/** Names of pools and hosts. */
export const FLEET_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
const name = z.string().regex(FLEET_NAME, 'a name of letters, digits, dot, dash and underscore (at most 63)');
const environmentName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'an environment variable name');
const noNul = z.string().regex(/^[^\0\p{Cs}]*$/u, 'a text without NUL, and without half characters');
/** Text without control characters, and without half characters, which no database accepts. */
const withoutControl = z.string().regex(/^[^\p{Cc}\p{Cs}]*$/u, 'a text without control characters');
const word = withoutControl.min(1);
const absolute = withoutControl.regex(/^(\/|~\/|~$)/, 'an absolute path on the host, or one below ~');
/** System folders, in which Perpetua must not write. */
const OF_SYSTEM = /^\/+(?:(?:usr|etc|bin|sbin|lib|lib32|lib64|libx32|boot|dev|proc|sys)(?:\/.*)?)?$/;
/** Folders that a sandbox has of its own, or that would show it the whole host. */
const OF_SANDBOX = /^\/+(?:(?:dev|proc|sys|tmp)\/*)?$/;
const FINGERPRINT = 'strict, first-use, or a fingerprint as `ssh-keygen -lf` prints it (SHA256: and 43 characters)';
const hasNoDots = (path: string): boolean => !path.split('/').some((step) => step === '.' || step === '..');

/** A pool: the shape that all its slots have. */
const Pool = z.strictObject({
  slots: z.enum(['gpu', 'cpu', 'host']).meta({
    description: 'shape of a slot: a share of one GPU, some cores, or a whole host (for runs that are timed)',
    hint:
      'slots names the kind of slot here; to set how many there are, use perGpu of the pool (gpu) ' +
      'or slots of the host (cpu)',
  }),
  perGpu: z.number().int().min(1).max(16).optional().describe('slots that share one GPU; default: 1'),
  cores: z.number().int().min(1).max(1024).optional().describe('cores of a slot, if slots is cpu; default: 1'),
  memoryMb: z
    .number()
    .int()
    .min(1)
    .max(FIELD_MAXIMA.megabytes)
    .optional()
    .describe('MiB of memory of a slot, if slots is cpu; default: the slots share all memory of their host'),
  env: z
    .record(environmentName, noNul)
    .default({})
    .describe("environment variables of the pool's runs; those of the task replace them"),
});

/** A machine that is reached by SSH. */
const Host = z.strictObject({
  name: name.describe('names the host in tables and messages'),
  pool: name,
  address: word
    .regex(/^[^\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}]*$/u, 'a text without spaces and invisible characters')
    .optional()
    .describe('alias of ~/.ssh/config, name or address; default: the name'),
  port: z.number().int().min(1).max(65535).optional(),
  user: word.optional(),
  keyFile: word.optional().describe("a private key; default: ~/.ssh/config's, else the usual files"),
  agent: word.optional().describe('socket of an SSH agent'),
  jump: word.optional().describe('jump hosts, as [user@]host[:port], separated by commas'),
  hostKey: z
    .union([z.enum(['strict', 'first-use']), z.string().regex(/^SHA256:[A-Za-z0-9+/]{43}=?$/, FINGERPRINT)])
    .default('strict')
    .describe(
      'strict: the key must be in known_hosts; first-use: a new key is accepted and added; ' +
        'or the fingerprint of the key',
    ),
  knownHosts: z.array(word).min(1).optional().describe('files to use instead of the usual ones'),
  gpus: z
    .union([z.literal('auto'), z.array(z.union([word, z.number().int().min(0).max(1024)])).min(1)])
    .default('auto')
    .describe('UUIDs or indices of the GPUs to use; auto: all that nvidia-smi lists'),
  slots: z
    .number()
    .int()
    .min(1)
    .max(1024)
    .optional()
    .describe(
      'number of slots, if slots is cpu, also more than the cores; default: as many as fit, with one core left free',
    ),
  scratch: absolute
    .refine((path) => hasNoDots(path) && !OF_SYSTEM.test(path), "a folder of your own, not one of the system's")
    .optional()
    .describe('folder of workspaces and runs; default: ~/.perpetua-host'),
  path: word.optional().describe("PATH of the runs; default: the system's"),
  readable: z
    .array(
      withoutControl
        .regex(/^\//, 'an absolute path on the host')
        .refine(
          (path) => hasNoDots(path) && !OF_SANDBOX.test(path),
          'a folder other than /, /dev, /proc, /sys and /tmp',
        ),
    )
    .default([])
    .describe('further folders that sandboxed runs may read'),
  env: z
    .record(environmentName, noNul)
    .default({})
    .describe("environment variables of the host's runs; they replace those of the pool"),
  lostAfterSeconds: z
    .number()
    .min(1)
    .max(86_400)
    .default(600)
    .describe('seconds for which the host may be away before its runs are placed on other hosts'),
  keepDays: z
    .number()
    .min(1)
    .max(3650)
    .default(14)
    .describe('days after which the next run on the host removes an unused run directory'),
  cacheGb: z
    .number()
    .min(1)
    .max(1_000_000)
    .default(50)
    .describe('GB of workspaces on the host, above which the oldest are removed'),
  labels: z.array(word.max(100)).default([]),
});

/** Content of a fleet.yaml. */
export const Fleet = z.strictObject({
  pools: z.record(name, Pool).describe('pools by name; a task selects one with run.resources.pool'),
  hosts: z.array(Host).max(1000).describe('hosts of the fleet; an empty list removes the last ones'),
});
export type Fleet = z.infer<typeof Fleet>;
export type FleetPool = z.infer<typeof Pool>;
export type FleetHost = z.infer<typeof Host>;

/** A host as stored. `own`: home of the workers of this machine; such a host is their GPUs, and in no fleet.yaml. */
export interface HostSpec extends FleetHost {
  own?: string;
}
