import { randomUUID } from 'node:crypto';
import { confinements, PROCESS_GROUP, type Confinement } from '../../run-protocol/confinement.ts';
import { foundBy, probeRun, probeUid } from '../../run-protocol/probe-run.ts';
import { controlEntries } from '../../run-protocol/control-files.ts';
import { endIn, uidWord } from '../context.ts';
import type { Link } from '../channel/link.ts';
import { tarOf } from '../channel/tar.ts';

/** Finds the best confinement that really works on a host, by running a small command in each. */
export async function probe(link: Link, sandbox: boolean): Promise<Confinement> {
  const { isRoot } = await link.facts();
  for (const confinement of confinements(isRoot, sandbox)) {
    const found = await tryOut(link, confinement);
    if (found) return found;
  }
  return PROCESS_GROUP;
}

async function tryOut(link: Link, confinement: Confinement): Promise<Confinement | undefined> {
  const { layout } = await link.facts();
  const id = randomUUID();
  const run = probeRun(confinement, `${layout.home}/try/${id}/0`, await link.supervisor());
  const frames = await link.ask({
    verb: 'try',
    words: [uidWord(probeUid(confinement)), id],
    input: () => tarOf(controlEntries(run)),
  });
  return foundBy(endIn(frames), confinement);
}
