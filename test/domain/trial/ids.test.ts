import { expect, test } from 'vitest';
import { parseTrialId, trialIdOf } from '../../../domain/trial/ids.ts';

test.each(['nano-lm', 'team/a', 'a/1', '', '../..', 'two\nlines', '名'])(
  'a trial id gives back the research %j and the number it was made from',
  (researchId) => {
    const read = parseTrialId(trialIdOf(researchId, 42));
    expect(read).toEqual(researchId === '' ? undefined : { researchId, n: 42 });
  },
);

test.each(['', 'nano-lm', 'nano-lm/', '/3', 'nano-lm/x', 'nano-lm/-1', 'nano-lm/1.5', 'nano-lm/1 '])(
  '%j is no trial id',
  (text) => {
    expect(parseTrialId(text)).toBeUndefined();
  },
);
