import { describe, expect, it } from 'vitest';
import { linesOfLog, linesWith } from '../../../../dashboard/web/pages/trial/run/log-panel.tsx';
import { listParams } from '../../../../dashboard/web/pages/trial/list-links.ts';

describe('the log', () => {
  const texts = (text: string) => linesOfLog(text).map((line) => line.text);

  it('loses its terminal colours, and nothing else', () => {
    expect(texts('\x1b[31mred\x1b[0m <b>\n\x1b]0;title\x07two\u202e\n')).toEqual(['red <b>', 'two\u202e']);
  });

  it('shows each state of a progress bar that overwrites its line', () => {
    expect(texts('10 %\r20 %\r\nend')).toEqual(['10 %', '20 %', 'end']);
  });

  it('keeps a last line without its newline, and empty lines between', () => {
    expect(texts('a\n\nb')).toEqual(['a', '', 'b']);
    expect(texts('')).toEqual([]);
  });

  it('is searched without regard to case, and lines keep their numbers', () => {
    const lines = linesOfLog('Loss 1\nstep\nloss nan\n');
    expect(linesWith(lines, 'LOSS')).toEqual([
      { no: 1, text: 'Loss 1' },
      { no: 3, text: 'loss nan' },
    ]);
    expect(linesWith(lines, '')).toBe(lines);
  });
});

it('the link back to the list keeps the parameters of the list, and drops those of the trial', () => {
  const params = new URLSearchParams('status=crashed&sort=value&pick=4&against=best&diff=split&curve.zoom=1,2');
  expect(listParams(params)).toEqual({ status: 'crashed', sort: 'value', pick: '4' });
});
