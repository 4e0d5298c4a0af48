import { describe, expect, it } from 'vitest';
import { parseAnswer } from '../../../../domain/edit/parse-answer.ts';

const said = (text: string): unknown => {
  const answer = parseAnswer(`${text}\n\na.py\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE`, ['a.py']);
  return answer.ok ? [answer.hypothesis, answer.expectedDelta] : answer.reason;
};

describe('a hypothesis in any script', () => {
  it.each([
    ['假设：更高的学习率会更快收敛', '更高的学习率会更快收敛'],
    ['**假设**：更高的学习率', '更高的学习率'],
    ['仮説：学習率を上げる', '学習率を上げる'],
    ['가설: 학습률을 높인다', '학습률을 높인다'],
    ['ГИПОТЕЗА: больше шагов', 'больше шагов'],
    ['Гипотеза： больше шагов', 'больше шагов'],
    ['Hipótesis: más pasos', 'más pasos'],
    ['Hypothèse : plus de pas', 'plus de pas'],
    ['Υπόθεση: περισσότερα βήματα', 'περισσότερα βήματα'],
    ['فرضية: خطوات أكثر', 'خطوات أكثر'],
    ['परिकल्पना: अधिक चरण', 'अधिक चरण'],
    ['השערה: יותר צעדים', 'יותר צעדים'],
    ['HYPOTHESIS：更高', '更高'],
    ['步', '步'],
    ['ステップ', 'ステップ'],
    ['늘림', '늘림'],
    ['Больше шагов.', 'Больше шагов.'],
    ['مزيد من الخطوات', 'مزيد من الخطوات'],
    ['เพิ่มจำนวนรอบ', 'เพิ่มจำนวนรอบ'],
    ['1. ...\nЗачем?', 'Зачем?'],
  ])('%j', (text, expected) => {
    expect(said(text)).toEqual([expected, null]);
  });

  it.each([
    ['假设：更高\n预期变化：-0.1', ['更高', -0.1]],
    ['ГИПОТЕЗА: больше\nОжидаемое изменение: -0.2', ['больше', -0.2]],
    ['123\n--\n', ['none was given', null]],
  ])('is read with the expected delta: %j', (text, expected) => {
    expect(said(text)).toEqual(expected);
  });

  it('is never cut within a character', () => {
    const [hypothesis] = said(`HYPOTHESIS: x${'\u{1f600}'.repeat(400)}`) as [string];
    expect(hypothesis.isWellFormed()).toBe(true);
    expect(hypothesis.length).toBeLessThanOrEqual(500);
  });
});
