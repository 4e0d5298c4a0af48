import { workflowInfo } from '@temporalio/workflow';
import { takesNoMore } from '../../../domain/research/hand-over.ts';
import { jsonBytes } from '../../../domain/json-bytes.ts';
import { refuse } from './refusal.ts';

/** The server ends a workflow whose history becomes too long or too large; what is handed on enters it once more. */
export function refuseWhereFull(letters: readonly unknown[]): void {
  const { historyLength, historySize } = workflowInfo();
  const bytes = letters.reduce<number>((sum, letter) => sum + jsonBytes(letter), 0);
  if (takesNoMore({ historyLength, historySize: historySize + bytes }))
    throw refuse(`too much came at once (${letters.length} of these are left out); send it again, a part at a time`);
}
