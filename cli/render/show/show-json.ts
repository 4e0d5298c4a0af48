import { encodeNumber } from '../../../domain/json/number.ts';
import type { SampleView } from '../../../view/policy/sample.ts';
import { callJson } from '../calls.ts';
import type { TrialReport } from '../show.ts';
import { waitsFor } from '../../../view/trial/waits-for.ts';
import { toLogLine } from '../../../db/reads/read-log.ts';

const lineageOf = (sample: SampleView | null) => ({
  policyVersion: sample?.policyVersion ?? null,
  update: sample?.update && sample.update.state !== 'open' ? sample.update.k : null,
});

/** `perpetua show --json`: the trial's line of the log and its details. `status` is null until the trial ends. */
export const showJson = ({
  trial,
  overrides,
  runs,
  task,
  queue,
  endpointDown,
  calls,
  rates,
  points,
  sample,
  agent,
  memory,
}: TrialReport) => ({
  ...toLogLine({ ...trial, ...lineageOf(sample) }, trial.status),
  sample,
  metric: { name: task.metric.name, direction: task.metric.direction, unit: task.metric.unit ?? null },
  failureMessage: trial.failureMessage,
  evaluatorNotes: trial.evaluatorNotes,
  feedback: trial.feedback,
  reusedFrom: trial.reusedFrom,
  proposedId: trial.proposedId,
  rewardParts: trial.rewardParts,
  rewardReason: trial.rewardReason,
  expectedDelta: trial.expectedDelta,
  parentReason: trial.parentReason,
  proposerReason: trial.proposerReason,
  arm: trial.arm,
  armReward: trial.armReward,
  operator: trial.operator,
  operatorReason: trial.operatorReason,
  secondParentId: trial.secondParentId,
  overrides,
  edits: trial.edits,
  agent,
  memory,
  staleness: trial.staleness,
  queue,
  waitsFor: waitsFor({ trial, queue, endpointDown, calls }),
  runs: runs.map((run) => ({
    placement: run.placement,
    host: run.host,
    slot: run.slotId,
    machine: run.machine,
    hardware: run.hardware,
    environment: run.environment,
    launchedAt: run.launchedAt?.toISOString() ?? null,
    endedAt: run.endedAt?.toISOString() ?? null,
    end: run.end,
    stop: run.stop,
    contention: run.contention,
    abort: run.abort,
    logTail: run.logTail,
  })),
  rates,
  calls: calls.map((call) => ({
    ...callJson(call),
    request: call.request,
    promptSizes: call.promptSizes,
    answer: call.answer,
    outcome: call.outcome,
    limited: call.limited,
    unused: call.unused,
  })),
  points: points.map((point) => ({ ...point, value: encodeNumber(point.value) })),
});
