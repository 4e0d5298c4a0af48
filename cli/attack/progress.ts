import { endingOf } from '../../domain/attack/judge.ts';
import { note, type Io } from '../io.ts';
import type { AttackInput } from './run-attacks.ts';

/** Says on stderr, with --json, too, how each candidate ended; once for each. */
export function progressOf(io: Io, { total }: { total: number }): AttackInput['onEnded'] {
  const told = new Set<string>();
  let attacks = 0;
  return (tried) => {
    for (const one of tried) {
      if (told.has(one.trialId)) continue;
      told.add(one.trialId);
      if (one.kind === 'baseline') note(io, `the unmodified workspace: ${one.value ?? endingOf(one)}`);
      // A lost one may be run again.
      else if (one.status === 'lost')
        note(io, `${one.hypothesis}: ${endingOf(one)}; a lost trial says nothing of the attack`);
      else note(io, `${(attacks += 1)} of ${total}: ${one.hypothesis}: ${endingOf(one)}`);
    }
  };
}
