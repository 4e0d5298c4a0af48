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

/** What runs on a host: small shell scripts, named by the hash of their content, so that versions never mix. */
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

/** The functions about clocks and identities, of which there is one copy: a section of the supervisor. */
function clocksOf(supervisor: string): string {
  const [section] = /^# --- clocks and identities[^]*?(?=^# --- )/m.exec(supervisor) ?? [];
  if (section === undefined) throw new Error('expected a section "clocks and identities" in supervisor.sh, found none');
  return section;
}
