import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../config/paths.ts';
import type { Db } from '../../db/connect.ts';
import { readBest } from '../../db/reads/read-best.ts';
import { readCandidateFiles } from '../../db/reads/read-files.ts';
import { readYaml } from '../../db/reads/read-yaml.ts';
import { ADDRESSES, parseAddress, type Address } from '../../domain/mcp/address.ts';
import { trialIdOf } from '../../domain/trial/ids.ts';
import { pickResearch, pickTrial } from '../arguments/pick.ts';
import { registerDiff } from '../commands/reads/trial/diff.ts';
import { registerShow } from '../commands/reads/trial/show.ts';
import { withDb } from '../context.ts';
import { refused } from '../errors.ts';
import { runCommand } from './run-command.ts';
import { quiet, type Call } from './session.ts';

/** The skill file of the package. */
export const readSkill = (): string => readFileSync(join(packageRoot(), 'skills', 'perpetua', 'SKILL.md'), 'utf8');

/** Reads the text behind a URI. Throws CliError for an unknown URI. */
export async function readAddress(call: Call, uri: string): Promise<string> {
  const address = parseAddress(uri);
  if (address === null) {
    const known = ['perpetua://skill', ...Object.values(ADDRESSES).map(({ template }) => template)];
    throw refused(`Expected a URI like one of ${known.join(', ')}; got ${JSON.stringify(uri)}.`);
  }
  if (address.kind === 'skill') return readSkill();
  if (address.kind === 'trial' || address.kind === 'diff') return printed(call, address);
  return withDb(quiet(call), (db) => stored(db, address));
}

/** The whole output of a command about a trial. */
async function printed(call: Call, { kind, researchId, n }: Printed): Promise<string> {
  const ref = trialIdOf(researchId, n);
  const ran =
    kind === 'diff'
      ? await runCommand(call, registerDiff, ['diff', '--', ref])
      : await runCommand(call, registerShow, ['show', '--json', '--for-proposer', '--', ref]);
  return ran.stdout;
}

type Printed = Extract<Address, { kind: 'trial' } | { kind: 'diff' }>;

async function stored(db: Db, address: Exclude<Address, { kind: 'skill' } | Printed>): Promise<string> {
  if (address.kind === 'task') {
    const { taskHash } = await pickResearch(db, address.researchId);
    return readYaml(db, { taskHash });
  }
  if (address.kind === 'best' || address.kind === 'lead') return fileOfBest(db, address);
  const { trial, runs } = await pickTrial(db, trialIdOf(address.researchId, address.n));
  if (address.kind === 'log') {
    const [last] = runs;
    if (!last?.logTail) throw refused(`Expected a trial with output; ${trial.id} has stored none.`);
    return last.logTail;
  }
  const files =
    trial.candidateId === null ? undefined : await readCandidateFiles(db, { candidateId: trial.candidateId });
  return textOf(files?.[address.path], { path: address.path, known: Object.keys(files ?? {}) });
}

async function fileOfBest(
  db: Db,
  { kind, researchId, path }: { kind: 'best' | 'lead'; researchId: string; path: string },
): Promise<string> {
  const best = await readBest(db, { research: await pickResearch(db, researchId), of: kind });
  if (!best) throw refused(`${researchId} has no best yet: its baseline is not measured.`);
  const file = best.workspace.find((one) => one.path === path);
  return textOf(file?.content, { path, known: best.workspace.map((one) => one.path) });
}

/** The text of a file. Throws if there is no such file, or if it is not text. */
function textOf(content: Buffer | undefined, { path, known }: { path: string; known: readonly string[] }): string {
  if (content === undefined)
    throw refused(`Expected one of the files ${known.slice(0, 100).join(', ')}; got ${JSON.stringify(path)}.`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw refused(`Expected a text file; ${path} is binary, with ${content.length} bytes.`);
  }
}
