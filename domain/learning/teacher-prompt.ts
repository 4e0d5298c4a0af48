import { numberText } from '../text/format.ts';
import { answerOf, type PolicyPrompt, withExtraText } from './policy-prompt.ts';
import { classOf, type DrawnSample, type LearningRollout } from './rollout.ts';
import { fillTemplate } from './fill-template.ts';
import type { Teacher } from './plan.ts';

/** The prompt that a teacher reads: the student's, with what the teacher knows more. */
export interface TeacherPrompt {
  prompt: PolicyPrompt;
  /** The words of the outcome that are in it, or null. */
  feedback: string | null;
}

/**
 * The lesson of a rollout, never with its own failed attempt; null where there is neither a better answer nor feedback.
 * `group` has the other members too, and may have itself.
 *
 * Source of the words around them: the templates of lasgroup/SDPO (arXiv 2601.20802).
 */
export function teacherPromptOf(
  rollout: LearningRollout,
  group: readonly LearningRollout[],
  teacher: Teacher,
): TeacherPrompt | null {
  const { sample } = rollout;
  if (sample === null) return null;
  const solution = teacher.solutions ? betterAnswer(rollout, group) : null;
  const feedback = feedbackOf(rollout, teacher);
  const parts = [
    ...(solution === null ? [] : [`Correct solution:\n\n${solution}`]),
    ...(feedback === null ? [] : [`The following is feedback from an earlier attempt:\n\n${feedback}`]),
  ];
  if (parts.length === 0) return null;
  return { prompt: withExtraText(sample.prompt, [...parts, 'Correctly solve the original question.']), feedback };
}

/** The best answer of the group that has a higher reward, is another one and did run; of equal ones the first. */
function betterAnswer(rollout: LearningRollout, group: readonly LearningRollout[]): string | null {
  const own = rollout.sample && wholeOf(rollout.sample);
  const from = rollout.reward ?? -Infinity;
  const better = group.flatMap((one) => {
    const { id, sample, reward } = one;
    const counts = id !== rollout.id && classOf(one) === 'completed' && sample !== null && wholeOf(sample) !== own;
    return counts && reward !== null && reward > from ? [{ text: wholeOf(sample), reward }] : [];
  });
  return better.toSorted((a, b) => b.reward - a.reward)[0]?.text ?? null;
}

function feedbackOf(rollout: LearningRollout, { feedback }: Teacher): string | null {
  const of = classOf(rollout);
  const text = of === null ? undefined : feedback[of];
  if (text === undefined) return null;
  const { reason, value, sample } = rollout;
  return fillTemplate(text, {
    reason: reason ?? 'not known',
    value: value === null ? 'not known' : numberText(value),
    answer: sample ? wholeOf(sample) : '',
  });
}

const wholeOf = ({ prompt, text }: DrawnSample): string => answerOf(prompt, text);
