import { numberText } from '../text/format.ts';
import { answerOf, type PolicyPrompt, withExtraText } from './policy-prompt.ts';
import { classOf, type DrawnSample, type LearningRollout } from './rollout.ts';
import { fillTemplate } from './fill-template.ts';
import type { Teacher } from './plan.ts';

/** The prompt of a teacher: the student's prompt with a better answer, feedback, or both. */
export interface TeacherPrompt {
  prompt: PolicyPrompt;
  /** Feedback text in the prompt, or null. */
  feedback: string | null;
}

/**
 * The teacher's prompt for a rollout; null if there is neither a better answer nor feedback. It never contains the
 * rollout's own failed attempt. `group` has the other members of the rollout's group, and may include the rollout.
 *
 * Source of the fixed sentences: the templates of lasgroup/SDPO (arXiv 2601.20802).
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
  const parts: string[] = [];
  if (solution !== null) parts.push(`Correct solution:\n\n${solution}`);
  if (feedback !== null) parts.push(`The following is feedback from an earlier attempt:\n\n${feedback}`);
  if (parts.length === 0) return null;
  return { prompt: withExtraText(sample.prompt, [...parts, 'Correctly solve the original question.']), feedback };
}

/** The group's best answer that completed, has a higher reward and a different text; among equals the first. */
function betterAnswer(rollout: LearningRollout, group: readonly LearningRollout[]): string | null {
  const ownAnswer = rollout.sample && wholeOf(rollout.sample);
  const ownReward = rollout.reward ?? -Infinity;
  const better = group.flatMap((member) => {
    const { id, sample, reward } = member;
    if (id === rollout.id || classOf(member) !== 'completed' || sample === null || reward === null) return [];
    const text = wholeOf(sample);
    return text !== ownAnswer && reward > ownReward ? [{ text, reward }] : [];
  });
  return better.toSorted((a, b) => b.reward - a.reward)[0]?.text ?? null;
}

function feedbackOf(rollout: LearningRollout, { feedback }: Teacher): string | null {
  const outcome = classOf(rollout);
  const text = outcome === null ? undefined : feedback[outcome];
  if (text === undefined) return null;
  const { reason, value, sample } = rollout;
  return fillTemplate(text, {
    reason: reason ?? 'not known',
    value: value === null ? 'not known' : numberText(value),
    answer: sample ? wholeOf(sample) : '',
  });
}

const wholeOf = ({ prompt, text }: DrawnSample): string => answerOf(prompt, text);
