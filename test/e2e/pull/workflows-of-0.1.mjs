import {
  condition,
  defineUpdate,
  setHandler,
  setDefaultSignalHandler,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';

/** The trial of research-of-0.1.sql that is under way, as 0.1 started it. */
export const trialOf = (researchId) => ({
  trialId: `${researchId}/2`,
  n: 2,
  kind: 'search',
  candidateId: null,
  ofTrial: null,
  seed: 1229024485,
  taskHash: '0fa94ab6f3c490196530730bb739ffe377a25f5a189d785a450c239b2c41bdd9',
  pool: 'local',
  researchId,
  taskName: 'pulled',
  tempo: 0.25,
  proposer: 'random',
});

/** Stands for a research of 0.1: it has started its trial, heeds what it is told, and says nothing of a floor. */
export async function research() {
  const { workflowId } = workflowInfo();
  setDefaultSignalHandler(() => undefined);
  setHandler(defineUpdate('setWindow'), ({ window }) => ({ window, fixed: true }));
  await startChild('trial', {
    workflowId: `${workflowId}/2`,
    args: [trialOf(workflowId)],
    taskQueue: 'perpetua-trial',
    parentClosePolicy: 'ABANDON',
  });
  await condition(() => false);
}

/** Stands for a trial of 0.1 whose run is followed. */
export async function trial() {
  await condition(() => false);
}

/** Stands for a job of a version that is older than this one; 0.1 had none. */
export async function job() {
  await condition(() => false);
}
