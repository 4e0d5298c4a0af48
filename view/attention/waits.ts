import { oneLine } from '../../domain/text/sanitize.ts';
import { changeTaskCommand, resumeCommand } from '../../domain/messages/steer-commands.ts';
import type { AttentionFacts } from './facts.ts';

/** Cause of a full disk on a worker's machine, which some reasons name and others do not. */
const WORKER = 'worker';

/** Rules for waits that only a person ends. */
export type WaitRule = 'disk' | 'database' | 'setup';

/** A wait that only a person ends. */
export interface WaitForPerson {
  rule: WaitRule;
  cause: string;
  fingerprint: string;
  why: string;
  /** Fixed by the rule: the words of a reason may come from a program, and must not name a command to copy. */
  commands: string[];
}

/** The wait of a research that only a person ends; null if it does not wait, or if its wait ends by itself. */
export function waitForPerson(facts: AttentionFacts): WaitForPerson | null {
  const reason = facts.wait?.why ?? facts.reason;
  if (facts.phase !== 'waiting' || reason === null) return null;
  const why = oneLine(reason);
  const disk = diskIn(reason);
  if (disk !== null) {
    const cause = facts.fleetHosts.includes(disk) ? disk : WORKER;
    return { rule: 'disk', cause, fingerprint: 'full', why, commands: ['npx perpetua clean'] };
  }
  if (reason.startsWith('database: '))
    return {
      rule: 'database',
      cause: 'postgres',
      fingerprint: 'refuses',
      why,
      commands: ['npx perpetua doctor'],
    };
  if (reason.startsWith('setup: '))
    return {
      rule: 'setup',
      cause: facts.id,
      fingerprint: 'fails',
      why,
      commands: [changeTaskCommand(facts.id, '/path'), resumeCommand(facts.id)],
    };
  return null;
}

/** The kind of a reason, without its numbers and times: equal for reasons of one uninterrupted wait. */
export const kindOfReason = (reason: string | null): string => beginOf((reason ?? '').replaceAll(/\d+/g, '#'));

/** Begin of a text that names a cause. Half a character would be stored as another one, so that the names differ. */
export const beginOf = (text: string): string => oneLine(text.slice(0, 60));

/** Host whose disk is full; empty if the reason names none, null if the reason is another one. */
function diskIn(reason: string): string | null {
  if (reason.startsWith('disk: ')) return '';
  return /^room on the disk of (.+?): /.exec(reason)?.[1] ?? null;
}
