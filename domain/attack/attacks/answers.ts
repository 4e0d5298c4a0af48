import type { Attack } from '../attack.ts';

const LONG_SECONDS = 60;

/** An attack on the evaluator's questions. If the task has no artefacts, the run ends before any work. */
const answerAttack = (kind: string, tries: string, answer: string): Attack => ({
  name: `answer-${kind}`,
  where: 'answer',
  tries,
  unfit: ({ task }) => (task.evaluator.type === 'interactive' ? null : 'its evaluator is not interactive'),
  acts: ({ task }) => (task.run.artefacts.length === 0 ? { begin: 'exit 0', answer } : { answer }),
  expected: ['candidate-protocol'],
});

/** The probe: an answering program that dies without output. Its trial shows if candidates are asked at all. */
export const DIES = answerAttack('dies', 'exit with an error instead of answering', 'exit 1');

const slow = (attack: Attack): Attack => ({
  ...attack,
  heavy: ({ task: { evaluator } }) =>
    evaluator.type === 'interactive' && evaluator.roundSeconds > LONG_SECONDS
      ? `it waits for the whole of evaluator.roundSeconds, ${evaluator.roundSeconds} s`
      : null,
});

/** Answers that no honest program gives. */
export const ANSWERS: readonly Attack[] = [
  DIES,
  answerAttack('twice', 'give two answers in one round', 'while read -r question; do echo 0; echo 0; done\nexit 0'),
  answerAttack('nan', 'answer NaN', 'while read -r question; do echo NaN; done\nexit 0'),
  answerAttack('flood', 'answer without end', 'yes 0\nexit 0'),
  {
    ...answerAttack('stderr', 'write to stderr without end instead of answering', 'yes perpetua-attack >&2\nexit 0'),
    expected: ['output-limit'],
  },
  slow(answerAttack('silence', 'never answer', 'while :; do sleep 1; done')),
  slow(answerAttack('drip', 'answer one byte a second, and never finish', 'while :; do printf 0; sleep 1; done')),
];
