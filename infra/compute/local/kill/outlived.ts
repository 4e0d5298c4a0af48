import type { Attempt } from '../../run-protocol/paths.ts';
import { controlsOf, hasNothing } from '../kill.ts';
import { killAll } from './kill-all.ts';
import { markedOf } from './members.ts';
import { stateOf } from '../attempt/state.ts';

/** The control directories of ended runs and conversations of which, in this boot, something lives that their supervisor could not end. */
export async function outlivedControls(attempts: Attempt[]): Promise<string[]> {
  const outlived: string[] = [];
  for (const attempt of attempts)
    for (const control of await controlsOf(attempt)) if (await isOutlived(control)) outlived.push(control);
  return outlived;
}

async function isOutlived(control: string): Promise<boolean> {
  const status = await stateOf(control);
  if (status.state !== 'ended' || status.end.treeGone || (await hasNothing(control))) return false;
  return (await markedOf(control)).length > 0;
}

/** Ends that: without its folder nobody would know its mark. */
export async function killOutlived(controls: readonly string[]): Promise<void> {
  for (const control of controls) await killAll(() => markedOf(control), control);
}
