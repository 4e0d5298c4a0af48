import { describe, expect, it } from 'vitest';
import { teacherPromptOf } from '../../../domain/learning/teacher-prompt.ts';
import { answering, rollout } from './rollouts.ts';

const SOLUTIONS = { solutions: true, feedback: {} };
const crashed = answering('lr = 10', { id: 'r/1', reward: -1, status: 'crashed', value: null, reason: 'exit code 1' });
const good = answering('lr = 0.1', { id: 'r/2', reward: 0.4 });
const best = answering('lr = 0.2', { id: 'r/3', reward: 0.6 });

/** The whole prompt of a teacher, as text. */
const read = (...args: Parameters<typeof teacherPromptOf>): string =>
  JSON.stringify(teacherPromptOf(...args)?.prompt ?? '').replaceAll('\\n', '\n');

describe('a lesson with solutions', () => {
  it('has the messages of the student, with the best answer of the group behind the last message of the user', () => {
    expect(teacherPromptOf(crashed, [crashed, good, best], SOLUTIONS)).toEqual({
      prompt: {
        form: 'chat',
        messages: [
          { role: 'system', content: 'You set a learning rate.' },
          {
            role: 'user',
            content: 'Which one?\n\nCorrect solution:\n\nlr = 0.2\n\nCorrectly solve the original question.',
          },
        ],
      },
      feedback: null,
    });
  });

  it('never has the attempt of the student itself', () => {
    expect(read(crashed, [crashed, good, best], SOLUTIONS)).not.toContain('lr = 10');
    const luckier = answering('lr = 10', { id: 'r/4', reward: 0.9 });
    expect(read(crashed, [crashed, luckier, good], SOLUTIONS)).toContain('lr = 0.1');
  });

  it('does not exist for the best of a group, nor if all are equal', () => {
    expect(teacherPromptOf(best, [good, best, crashed], SOLUTIONS)).toBeNull();
    const twin = answering('lr = 0.3', { id: 'r/5', reward: 0.6 });
    expect(teacherPromptOf(best, [best, twin], SOLUTIONS)).toBeNull();
    expect(teacherPromptOf(rollout({ sample: null }), [best], SOLUTIONS)).toBeNull();
  });

  it('uses only an answer that completed, or a copy of one', () => {
    const stopped = answering('lr = 3', { id: 'r/6', reward: 0.9, status: 'aborted' });
    const copy = answering('lr = 0.5', {
      id: 'r/7',
      reward: 0.8,
      status: 'cached',
      first: { status: 'completed', failure: null },
    });
    expect(read(crashed, [stopped, copy, best], SOLUTIONS)).toContain('lr = 0.5');
  });

  it('uses the first of several equally good answers', () => {
    const twin = answering('lr = 0.3', { id: 'r/5', reward: 0.6 });
    expect(read(crashed, [best, twin], SOLUTIONS)).toContain('lr = 0.2');
  });
});

describe('a lesson with feedback', () => {
  const teacher = {
    solutions: false,
    feedback: { failed: 'It failed: {reason}.', completed: '{answer} gave {value}; {unknown} stays.' },
  };

  it('has the filled-in text of the class of its outcome', () => {
    expect(teacherPromptOf(crashed, [], teacher)).toMatchObject({ feedback: 'It failed: exit code 1.' });
    expect(teacherPromptOf(good, [], teacher)).toMatchObject({ feedback: 'lr = 0.1 gave 0.25; {unknown} stays.' });
    expect(read(crashed, [], teacher)).toContain('feedback from an earlier attempt:\n\nIt failed: exit code 1.');
  });

  it('uses the first outcome of a copy', () => {
    const copy = { ...crashed, status: 'cached', first: { status: 'timed_out', failure: 'wall-clock' } } as const;
    expect(teacherPromptOf(copy, [], teacher)?.feedback).toBe('It failed: exit code 1.');
  });

  it('does not exist for a class without a text, nor for a lost trial', () => {
    expect(teacherPromptOf(rollout({ status: 'rejected' }), [], teacher)).toBeNull();
    expect(teacherPromptOf(rollout({ status: 'lost' }), [], teacher)).toBeNull();
  });

  it('follows the solution if there are both', () => {
    const both = { ...teacher, solutions: true };
    expect(read(crashed, [best], both)).toMatch(/Correct solution:\n\nlr = 0\.2\n\nThe following is feedback/);
  });

  it('does not expand placeholders in a filled-in value', () => {
    expect(teacherPromptOf({ ...crashed, reason: '{answer}' }, [], teacher)?.feedback).toBe('It failed: {answer}.');
  });

  it('follows the messages if none of them is from the user', () => {
    const prompt = { form: 'chat' as const, messages: [] };
    const alone = rollout({ sample: { ...(good.sample ?? expect.fail()), prompt } });
    expect(teacherPromptOf(alone, [], teacher)?.prompt).toMatchObject({ messages: [{ role: 'user' }] });
  });

  it('precedes a text to be completed, and its solution is a whole answer', () => {
    const prompt = { form: 'text' as const, text: 'Choose.\n\nlr =', start: 'lr =' };
    const going = (id: string, text: string, reward: number) =>
      rollout({ id, reward, sample: { ...(good.sample ?? expect.fail()), prompt, text } });
    const [own, peer] = [going('r/1', ' 10', -1), going('r/2', ' 0.2', 0.6)];
    expect(teacherPromptOf(own, [own, peer], SOLUTIONS)?.prompt).toEqual({
      ...prompt,
      text: 'Correct solution:\n\nlr = 0.2\n\nCorrectly solve the original question.\n\nChoose.\n\nlr =',
    });
  });
});
