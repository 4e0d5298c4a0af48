import {
  condition,
  defineUpdate,
  setHandler,
  setDefaultSignalHandler,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';

/** Stands for a research of an older version: it has started its first trial, accepts messages, and writes no floor. */
export async function research({ tempo }) {
  const { workflowId } = workflowInfo();
  setDefaultSignalHandler(() => undefined);
  setHandler(defineUpdate('setWindow'), ({ window }) => ({ window, fixed: true }));
  await startChild('trial', {
    workflowId: `${workflowId}/1`,
    args: [{ tempo }],
    taskQueue: 'perpetua-trial',
    parentClosePolicy: 'ABANDON',
  });
  await condition(() => false);
}

/** Stands for a trial of an older version whose run is followed. */
export async function trial() {
  await condition(() => false);
}

/** Stands for a job of an older version. */
export async function job() {
  await condition(() => false);
}
