import { quoteWord } from '../../domain/text/quote-word.ts';
import type { Command } from './commands.ts';

interface Policy {
  /** In force. */
  version: number;
  /** The version that it was made from; null for the model as it came. */
  parent: number | null;
  pinned: boolean;
  halted: string | null;
}

/** Commands about the policy of a research; those that are of use as it is. */
export function policyCommands(research: string, { version, parent, pinned, halted }: Policy): Command[] {
  const id = quoteWord(research);
  const rollback = (to: number): string => `npx perpetua policy rollback ${id} ${to}`;
  return [
    { label: 'every version', command: `npx perpetua policy list ${id}` },
    { label: 'the version in force', command: `npx perpetua policy show ${id} ${version}` },
    pinned
      ? { label: 'learn again', command: `npx perpetua policy pin ${id} --off` }
      : { label: 'keep this version, learn nothing', command: `npx perpetua policy pin ${id} ${version}` },
    ...(halted === null ? [] : [{ label: 'learn on from this version', command: rollback(version) }]),
    ...(parent === null ? [] : [{ label: 'go back to the version before', command: rollback(parent) }]),
  ];
}
