import type { FailedStatus, FailureLabel } from '../trial.ts';

/** Description of a failure label for people. */
interface FailureMeaning {
  outcome: FailedStatus | 'aborted';
  /** Cause of the failure, as Markdown. */
  means: string;
  /** Remedy for a recurring failure, as Markdown; null if there is none. */
  remedy: string | null;
}

const LOG = 'Read the log: `show`';

/** Descriptions of all failure labels. `docs/reference/failures.md` is generated from them. */
export const FAILURE_CATALOG: Readonly<Record<FailureLabel, FailureMeaning>> = {
  'unreadable-answer': {
    outcome: 'rejected',
    means: "Perpetua found no edits in the model's answer",
    remedy: 'Read the answer: `show --answer`. If it was cut, raise `llm.maxTokens`; else try another model',
  },
  'edit-does-not-apply': {
    outcome: 'rejected',
    means: 'The edits do not match the files',
    remedy: 'Read the failed edit: `show --answer`. If such edits recur, use shorter files, or another model',
  },
  'edit-outside-mutable': {
    outcome: 'rejected',
    means:
      'An edit changes a file that is not mutable, or lines outside of its regions, or, with the operator ' +
      '`knobs-only`, more than values of knobs',
    remedy: 'State in `prompt.md` which files may change',
  },
  'outside-specialist': {
    outcome: 'rejected',
    means: 'An edit changes a file that the specialist does not own',
    remedy: 'State in its preamble what it owns, or extend `specialist.owns`',
  },
  'no-change': { outcome: 'rejected', means: 'The edits change nothing', remedy: 'Advise the proposer: `note`' },
  refusal: {
    outcome: 'rejected',
    means: 'The model refused to answer',
    remedy: "Reword the task's description or `prompt.md`",
  },
  'proposer-failed': {
    outcome: 'rejected',
    means: "The endpoint rejected the request (400, 413, 422), or the parent has none of the task's knobs",
    remedy: 'Read the message: `show`',
  },
  'nothing-new': {
    outcome: 'rejected',
    means:
      'The proposer draws values of knobs and found no new candidate: every value was tried, ' +
      'or all its draws are known. The research ends with that reason, or waits',
    remedy: 'Widen the range of a knob, or use another proposer',
  },
  'size-blocked': {
    outcome: 'rejected',
    means: 'The mutable files are larger than `preflight.maxBytes`',
    remedy: 'State the limit in `prompt.md`, or raise it',
  },
  'forbidden-name': {
    outcome: 'rejected',
    means: 'A mutable file contains a name of `preflight.forbidden`',
    remedy: 'State the names in `prompt.md`',
  },
  'preflight-failed': {
    outcome: 'rejected',
    means: 'The files did not pass a syntax check, or a command of `preflight.commands`',
    remedy: 'Read the message: `show`. If such failures recur, use another model, or state the rule in `prompt.md`',
  },
  'exit-code': { outcome: 'crashed', means: 'The program exited with an error', remedy: LOG },
  signal: { outcome: 'crashed', means: 'A signal that Perpetua did not send ended the program', remedy: LOG },
  'out-of-memory': {
    outcome: 'crashed',
    means: 'The run used more memory than `memoryMb`',
    remedy: 'Raise `memoryMb`',
  },
  'too-many-processes': {
    outcome: 'crashed',
    means:
      'The run had more processes than `processes`, ' +
      'or the host reached its own limit, mostly through processes of the run',
    remedy: 'Raise `processes`, or the limit of the host: `ulimit -u`, or `pids.max` of a container',
  },
  'output-limit': { outcome: 'crashed', means: 'The run printed more than `outputMb`', remedy: 'Print less' },
  'disk-limit': {
    outcome: 'crashed',
    means:
      'The run wrote more than `diskMb` or `files`, ' +
      'or took away its own permission to read folders (`chmod 0`), so that Perpetua could not measure them',
    remedy: 'Raise the limit, or write less. Leave folders readable',
  },
  'launch-failed': {
    outcome: 'lost',
    means: 'The machine lacks what the task names in `requires`, `run.path` or `run.readable`',
    remedy: 'Install what the message names on the machine, or correct the task',
  },
  'immutable-changed': {
    outcome: 'crashed',
    means:
      'The run changed a file that must not change, ' +
      'or took away its own permission to read it (`chmod 0`), so that Perpetua could not check it',
    remedy: 'Write to other files. `setup` must not change the workspace',
  },
  'artefact-missing': {
    outcome: 'crashed',
    means: 'The run did not leave the artefact, or left a link in its place',
    remedy: 'Compare the path with `run.artefacts[].path`',
  },
  'artefact-too-large': {
    outcome: 'crashed',
    means: 'The artefact is larger than `maxMb`',
    remedy: 'Raise `maxMb`',
  },
  'artefact-executes-code': {
    outcome: 'crashed',
    means:
      'The artefact, such as a pickle, can execute code when the evaluator loads it, ' +
      'and this machine gives evaluators no sandbox, or the evaluator may ask a model (`evaluator.llm`)',
    remedy:
      'Let the run leave predictions, such as JSON or CSV. ' +
      'If the evaluator never executes an artefact, set `evaluator.safeLoad: true`',
  },
  'no-metric': {
    outcome: 'crashed',
    means: 'The evaluator or the output reported no `metric.name`',
    remedy: 'Use the same name in the task and in the program',
  },
  'metric-unreadable': {
    outcome: 'crashed',
    means: 'The metric is not a number, or descriptor 3 received no JSON',
    remedy: 'Correct the evaluator',
  },
  'metric-not-finite': { outcome: 'diverged', means: 'The metric is NaN, infinite, or beyond ±1e150', remedy: null },
  'metric-out-of-bounds': {
    outcome: 'crashed',
    means: 'The metric is below `min` or above `max`',
    remedy: 'Read the change: `diff`. If the value is real, correct `min` and `max`; else the candidate cheats',
  },
  'evaluator-failed': {
    outcome: 'crashed',
    means: 'The evaluator exited with another code than 0 or 3',
    remedy: 'Correct the evaluator; `show` has the end of its log',
  },
  'evaluator-timeout': {
    outcome: 'crashed',
    means: 'The evaluation took longer than `evaluator.timeoutSeconds`',
    remedy: 'Raise the limit',
  },
  'evaluator-changed': {
    outcome: 'crashed',
    means: "The evaluator's files differ from those of the task",
    remedy: 'The evaluator must not write over its own files',
  },
  'candidate-protocol': {
    outcome: 'crashed',
    means: "The candidate's answer to the evaluator was invalid, late or too long",
    remedy: 'Read the message: `show`',
  },
  'call-limit': {
    outcome: 'crashed',
    means:
      'A call of a model by the evaluator was refused, since a limit of `evaluator.llm` was spent, ' +
      'or the model has no price; a score of fewer calls would not compare with others',
    remedy: 'Read the message: `show`. Raise the limit, or let the evaluator ask less',
  },
  'wall-clock': {
    outcome: 'timed_out',
    means: 'The run took longer than `run.timeoutSeconds`, without its wait for a CPU that other processes had',
    remedy: 'Raise the limit',
  },
  'too-slow': {
    outcome: 'timed_out',
    means: 'With `progress.steps`: at its pace the run would exceed its time limit',
    remedy: 'Use fewer or faster steps, or raise the limit',
  },
  'cpu-time': {
    outcome: 'timed_out',
    means:
      'The run and its answers used more CPU seconds than `run.budget.most` allows, ' +
      'or the answers used more than `evaluator.cpuSeconds`',
    remedy: 'Use one thread, or raise the budget',
  },
  'not-finite': { outcome: 'diverged', means: 'A progress value was NaN or infinite', remedy: null },
  diverged: {
    outcome: 'diverged',
    means: 'Three progress values in a row were above the first value times `progress.divergeFactor`',
    remedy: 'If runs recover from such a rise, raise `progress.divergeFactor` or remove it',
  },
  stalled: {
    outcome: 'diverged',
    means: 'The run printed no line for `progress.stallSeconds`',
    remedy: 'Print a line more often',
  },
  'cannot-win': {
    outcome: 'aborted',
    means:
      'The rule of [early abort](../concepts/early-abort.md) stopped the run; ' +
      'the message has its forecast and the value to beat',
    remedy: 'None: this is no failure, and the final value is unknown',
  },
  'stopped-by-operator': {
    outcome: 'aborted',
    means: 'A person stopped the trial: `stop --now`, or a cancelled workflow',
    remedy: null,
  },
  'machine-lost': {
    outcome: 'lost',
    means:
      'Twice, the run disappeared or its machine failed (a full disk, a missing GPU, a reboot, a damaged workspace), ' +
      'or twenty times, hosts failed before the run started or were gone for good while it ran',
    remedy:
      'Read the message: `show`. Then read the state of the hosts: `npx perpetua fleet`. ' +
      'If runs disappear, look for a lack of memory on the host (`dmesg`), or for a person or job that kills them',
  },
  contended: {
    outcome: 'lost',
    means:
      'Three times, other processes kept the run from a CPU for so long that its end said nothing ' +
      '([compute time](../concepts/compute-time.md#contended-others-had-the-core))',
    remedy: 'Free cores, or use fewer slots. If `run.budget.kind` is `cpu`: `wall` and `reference` allow a shared core',
  },
  'workflow-closed': { outcome: 'lost', means: "Somebody terminated the trial's workflow", remedy: null },
  'setup-failed': {
    outcome: 'lost',
    means:
      "The task's setup commands failed three times on the host, " +
      'or Perpetua could not build the Python of the task there',
    remedy: 'Read the message: it has the end of the output, and names the mutable files that the commands need',
  },
  'database-failed': {
    outcome: 'lost',
    means: 'The database was full, failed, or refused a value. The trial does not count in `budget.trials`',
    remedy: "Read the message, which has the database's words, and mend the database",
  },
  infrastructure: {
    outcome: 'lost',
    means: 'The platform could not carry out the trial',
    remedy: 'Read the message and `worker.log`',
  },
};
