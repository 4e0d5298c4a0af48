import { runsOfVariants } from '../../domain/ablation/plan.ts';
import { senderField, type Sender } from '../../domain/messages/sender.ts';
import type { AblateArgs, AblateResult } from '../../domain/messages.ts';
import { candidateContent, deletedIn } from '../../domain/trial/candidate.ts';
import { plural } from '../../domain/text/plural.ts';
import type { Store } from '../../db/store.ts';
import type { PickDeps } from '../deps.ts';

type Request = AblateArgs & { researchId: string; key: string; sender?: Sender };

/**
 * Queues the runs of an ablation, once per key: the claim, and the claim without each of its edits. Returns the reason
 * of a refusal, or the number of trials. A request is refused while runs of another have not started.
 */
export const requestAblation = (
  { store, machine }: { store: Pick<Store, 'withResearch'> } & PickDeps<'machine', 'sha256'>,
  { researchId, key, claim: seq, trials: most, sender }: Request,
): Promise<AblateResult | { refused: string }> =>
  store.withResearch(researchId, async (tx, research) => {
    const found = await tx.research.readEdits({ research, seq });
    if (found === null)
      return {
        refused: seq === undefined ? 'the research has no claim yet' : `claim: expected one of its claims, got ${seq}`,
      };
    const { claim, immutableHash, mutablePaths, files, variants } = found;
    const planned = runsOfVariants(variants.length, { most });
    if ('refused' in planned) return planned;
    const { runs } = planned;
    const result = { claim: claim.seq, variants: variants.length, runs, trials: (variants.length + 1) * runs };
    if (await tx.research.isInjected({ researchId, key })) return result;
    const open = await tx.research.countOpenAblations(researchId);
    if (open > 0) return { refused: `expected no open ablation, got one with ${plural(open, 'run')} yet to start` };
    const made = [{ edit: null, files }, ...variants].map(({ edit, files: content }) => {
      const deleted = deletedIn(content, mutablePaths);
      const id = machine.sha256(candidateContent(content, immutableHash, deleted));
      return { edit, candidate: { id, immutableHash, files: { ...content }, deleted } };
    });
    for (const { candidate } of made) await tx.trial.saveCandidate(candidate);
    await tx.research.insertAblation({
      researchId,
      ofTrial: claim.ofTrial,
      key,
      claim: claim.seq,
      runs,
      variants: made.map(({ edit, candidate }) => ({ edit, candidateId: candidate.id })),
    });
    const data = { claim: claim.seq, trials: result.trials, ...senderField(sender) };
    await tx.event.insertEvents([{ kind: 'ablation-requested', researchId, data }]);
    return result;
  });
