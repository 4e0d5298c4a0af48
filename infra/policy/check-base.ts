import { open, readFile, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { listNames } from '../files.ts';
import type { BaseProblem } from '../policy.ts';
import { NAMED_MODELS } from '../trainer/named-models.ts';
import { parse } from './errors.ts';

/** The forms of a base, for messages. */
export const EXPECTED_BASE =
  `a model: ${Object.keys(NAMED_MODELS).join(', ')}, ID@VERSION of another research, ` +
  'or the absolute path of a folder or of a .gguf file that exists';

/** Reason why the trainer cannot load a base, which is no ID@VERSION; null if it looks loadable. Reads no weights. */
export async function findBaseProblem(base: string): Promise<BaseProblem | null> {
  if (Object.hasOwn(NAMED_MODELS, base)) return null;
  const unknown = (why: string): BaseProblem => ({ expected: EXPECTED_BASE, why });
  if (!isAbsolute(base)) return unknown('it is no absolute path');
  const found = await stat(base).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error)
    return unknown(found.code === 'ENOENT' ? 'it does not exist' : `it cannot be read (${found.message})`);
  if (found.isDirectory()) return findFolderProblem(base);
  if (!found.isFile() || !base.endsWith('.gguf')) return unknown('it is no folder, and its name does not end in .gguf');
  return (await startOf(base)) === 'GGUF'
    ? null
    : { expected: 'a GGUF file', why: 'its content does not begin with GGUF' };
}

/** The first four characters of a file. */
async function startOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await file.close();
  }
}

const FOLDER = "a model's folder, with config.json, a tokenizer and weights";
/** Files of weights that transformers loads. */
const WEIGHTS = /\.safetensors$|^pytorch_model.*\.bin$/;
const TOKENIZERS = ['tokenizer.json', 'tokenizer.model', 'vocab.json'];

const Config = z.object({ model_type: z.string(), vocab_size: z.number() });
const Export = z.object({ research: z.string(), version: z.number() });

async function findFolderProblem(folder: string): Promise<BaseProblem | null> {
  const names = await listNames(folder);
  const problem = (why: string): BaseProblem => ({ expected: FOLDER, why });
  if (!names.includes('config.json')) return problem(await withoutModel(folder, names));
  const text = await readFile(join(folder, 'config.json'), 'utf8');
  if (!Config.safeParse(parse(text)).success)
    return problem('its config.json is no JSON object with model_type and vocab_size');
  if (!TOKENIZERS.some((name) => names.includes(name))) return problem(`it has none of ${TOKENIZERS.join(', ')}`);
  if (!names.some((name) => WEIGHTS.test(name))) return problem('it has neither *.safetensors nor pytorch_model*.bin');
  return null;
}

/** Description of a folder without config.json, with the base that its person may mean. */
async function withoutModel(folder: string, names: readonly string[]): Promise<string> {
  const about = await readFile(join(folder, 'perpetua.json'), 'utf8').catch(() => '');
  const { data } = Export.safeParse(parse(about));
  if (data !== undefined)
    return `it is an export of a policy, without its model; set search.proposer.base: ${data.research}@${data.version}`;
  if (names.includes('adapter_config.json'))
    return 'it is an adapter without its model; merge it into its model first (merge_and_unload in PEFT)';
  return 'it has no config.json';
}
