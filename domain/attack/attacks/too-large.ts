import type { Attack, Target } from '../attack.ts';
import { shellQuote } from '../../text/shell-quote.ts';
import { onArtefacts } from './on-artefacts.ts';

/** Multiple of the artefact's size limit. */
const TIMES = 60;

/** The first artefact, with a size above its limit that the disk limit still allows; undefined if there is none. */
function oversize({ task }: Target): { path: string; mb: number } | undefined {
  const { artefacts, resources } = task.run;
  const [first] = artefacts;
  if (!first) return undefined;
  const mb = Math.min(TIMES * first.maxMb, resources.diskMb / 2);
  return mb > first.maxMb ? { path: first.path, mb } : undefined;
}

export const TOO_LARGE: Attack = {
  name: 'artefact-too-large',
  where: 'run',
  tries: 'leave a file with holes, far above maxMb, as the artefact',
  unfit: (target) =>
    onArtefacts.unfit(target) ??
    (oversize(target) ? null : 'maxMb of its artefact is not below half of run.resources.diskMb'),
  acts: (target) => {
    const { path = '', mb = 0 } = oversize(target) ?? {};
    return {
      begin: `dd if=/dev/null of=${shellQuote(path)} bs=1 count=0 seek=${Math.ceil(mb * 2 ** 20)} 2>/dev/null\nexit 0`,
    };
  },
  expected: ['artefact-too-large'],
};
