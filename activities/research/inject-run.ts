import type { Store } from '../../db/store.ts';
import type { KnobValues } from '../../domain/task/knob-value.ts';
import { PERSON } from '../../domain/search/proposer/table.ts';

export interface InjectInput {
  researchId: string;
  /** The task version that the proposal was checked against. */
  taskHash: string;
  /** Names the injection: repeated, it asks for nothing more. */
  key: string;
  candidate: { id: string; immutableHash: string; files: Record<string, string> };
  /** Values of the task's knobs in its files. */
  knobs: KnobValues;
  parentId: string;
  hypothesis: string;
}

/** Asks for a run of a person's proposal, ahead of new proposals. Throws where the task has changed since it was checked. */
export async function injectRun({ withResearch }: Pick<Store, 'withResearch'>, input: InjectInput): Promise<void> {
  const { researchId, taskHash, key, candidate, knobs, parentId, hypothesis } = input;
  await withResearch(researchId, async (tx, research) => {
    if (research.taskHash !== taskHash)
      throw new Error(`the task of ${researchId} changed meanwhile: the proposal has to be checked again`);
    if (await tx.research.isInjected({ researchId, key })) return;
    await tx.trial.saveCandidate(candidate);
    await tx.trial.saveKnobs({ researchId, taskHash, candidateId: candidate.id, knobs, proposer: PERSON });
    const proposal = { key, parentId, hypothesis };
    await tx.research.insertInjected({ researchId, candidateId: candidate.id, proposal });
  });
}
