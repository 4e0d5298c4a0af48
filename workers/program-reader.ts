import { dirname } from 'node:path';
import { describePrograms, type ProgramNeeds } from '../infra/python/describe-programs.ts';
import { SYSTEM_PATH } from '../infra/system-path.ts';

/** Task versions whose programs are kept. */
const VERSIONS = 32;

/** Creates a function that describes the programs of a task version's runs on this machine, and asks them only once. */
export function createProgramReader(): (needs: ProgramNeeds & { taskHash: string }) => Promise<string[]> {
  const kept = new Map<string, Promise<string[]>>();
  return ({ taskHash, path, ...needs }) => {
    const known = kept.get(taskHash);
    if (known) return known;
    // The PATH of runs on this machine.
    const asked = describePrograms({ ...needs, path: [...path, dirname(process.execPath), SYSTEM_PATH] });
    kept.set(taskHash, asked);
    const [oldest] = kept.keys();
    if (kept.size > VERSIONS && oldest !== undefined) kept.delete(oldest);
    return asked;
  };
}
