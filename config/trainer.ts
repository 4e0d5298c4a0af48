import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import type { Trainer } from '../domain/learning/trainer.ts';

const ARGV = 'a JSON array of words like ["node", "/path/to/server.mjs"]';
const argv = z.string().transform((text, context) => {
  try {
    return z.array(z.string().min(1)).min(1).parse(JSON.parse(text));
  } catch {
    context.addIssue(ARGV);
    return z.NEVER;
  }
});

/** Environment variables that {@link loadTrainer} takes. */
export const TrainerVariables = {
  PERPETUA_TRAINER_CACHE: z.string().optional(),
  PERPETUA_PYTHON: z.string().optional(),
  PERPETUA_TRAINER_DEVICE: z.enum(['cpu', 'cuda'], 'cpu or cuda').default('cpu'),
  PERPETUA_TRAINER_DTYPE: z.enum(['float32', 'bfloat16'], 'float32 or bfloat16').default('float32'),
  PERPETUA_TRAINER_THREADS: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, 'a whole number from 1 to 999')
    .transform(Number)
    .default(1),
  PERPETUA_POLICY_PROGRAM: argv.optional(),
  PERPETUA_POLICY_URL: z
    .url({ protocol: /^https?$/, error: 'a URL like http://127.0.0.1:8000/v1' })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional(),
  PERPETUA_POLICY_KEY: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'printable ASCII without spaces')
    .optional(),
};
type Values = z.infer<z.ZodObject<typeof TrainerVariables>>;

export function loadTrainer(values: Values, cwd: string): Trainer {
  const kept = join(homedir(), '.cache', 'perpetua');
  const named = values.PERPETUA_TRAINER_CACHE;
  const cache = named === undefined ? join(kept, 'trainer') : resolve(cwd, named);
  return {
    cache,
    models: named === undefined ? join(kept, 'models') : join(cache, 'models'),
    python: values.PERPETUA_PYTHON ?? null,
    device: values.PERPETUA_TRAINER_DEVICE,
    dtype: values.PERPETUA_TRAINER_DTYPE,
    threads: values.PERPETUA_TRAINER_THREADS,
    program: values.PERPETUA_POLICY_PROGRAM ?? null,
    endpoint:
      values.PERPETUA_POLICY_URL === undefined
        ? null
        : { url: values.PERPETUA_POLICY_URL, key: values.PERPETUA_POLICY_KEY ?? null },
  };
}
