import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { once } from '../run-protocol/once.ts';

const PARTS = [
  'base',
  'state',
  'kill',
  'remove',
  'spool',
  'whose',
  'gpus',
  'nvidia-smi',
  'expire',
  'launch',
  'collect',
  'follow',
  'prepare',
  'converse',
  'main',
];

/** Shell scripts that run on a host. Their file names hold the hash of their content, so that versions never mix. */
export interface HostScripts {
  hash: string;
  host: string;
  supervisor: string;
  bootstrap: string;
}

/** Reads the scripts once. */
export const loadScripts = once(async (): Promise<HostScripts> => {
  const read = (path: string): Promise<string> => readFile(new URL(path, import.meta.url), 'utf8');
  const [[base, ...verbs], tools, pythons, supervisor, bootstrap] = await Promise.all([
    Promise.all(PARTS.map((name) => read(`./host/${name}.sh`))),
    read('../tools/tools.sh'),
    read('../../python/pythons.sh'),
    read('../supervisor.sh'),
    read('./bootstrap.sh'),
  ]);
  const host = [base, clocksOf(supervisor), tools, pythons, ...verbs].join('');
  const hash = createHash('sha256').update(`${host}\n${supervisor}`).digest('hex').slice(0, 16);
  return { hash, host, supervisor, bootstrap };
});

/** Functions for clocks and identities: a section of the supervisor, so that only one copy exists. */
function clocksOf(supervisor: string): string {
  const [section] = /^# --- clocks and identities[^]*?(?=^# --- )/m.exec(supervisor) ?? [];
  if (section === undefined) throw new Error('expected a section "clocks and identities" in supervisor.sh, found none');
  return section;
}
