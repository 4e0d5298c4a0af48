import { describe, expect, it } from 'vitest';
import { afterFirstEnd, codesInUtf8, cutLines, linesOf, plainLine } from '../../../domain/metric/lines.ts';

const ESC = '\x1b';

describe('linesOf', () => {
  it.each([
    ['line feeds', 'a\nb\n', ['a', 'b']],
    ['a last line without its end', 'a\nb', ['a', 'b']],
    ['lone carriage returns, before or behind a state', '\ra\rb\rc\r', ['a', 'b', 'c']],
    ['a carriage return and a line feed', 'a\r\nb\r\n', ['a', 'b']],
    ['two carriage returns and a line feed', 'a\r\r\nb\r\r\n', ['a', 'b']],
    ['a line feed and a carriage return', 'a\n\rb', ['a', 'b']],
    ['empty lines, which are none', '\n\na\n\n\n', ['a']],
    ['blanks, which are something', 'a\n \n', ['a', ' ']],
    ['backspaces over a whole bar', '1/9 a\b\b\b\b\b\b\r2/9 b\b\b\b\b\b', ['1/9 a', '2/9 b']],
    ['a spinner of backspaces', 'wait |\b/\b-\b\\', ['wait |', '/', '-', '\\']],
    ['an erased line and a carriage return', `a${ESC}[2K\rb${ESC}[K\r${ESC}[Kc`, ['a', 'b', 'c']],
    ['an erased line and the first column', `a${ESC}[2K${ESC}[1Gb${ESC}[2K${ESC}[Gc${ESC}[0Gd`, ['a', 'b', 'c', 'd']],
    ['moves up', `outer 1\ninner 1${ESC}[A\router 2\ninner 2${ESC}[1A\r`, ['outer 1', 'inner 1', 'outer 2', 'inner 2']],
    ['moves up without a carriage return', `a${ESC}[Ab${ESC}[2Fc${ESC}Md`, ['a', 'b', 'c', 'd']],
    ['moves to a place', `a${ESC}[Hb${ESC}[3;1Hc${ESC}[2Jd${ESC}[ue${ESC}8f`, ['a', 'b', 'c', 'd', 'e', 'f']],
    ['moves back', `10%${ESC}[3D20%`, ['10%', '20%']],
    ['moves to the right, which are blanks', `loss:${ESC}[3C.5${ESC}[40Gok`, ['loss: .5 ok']],
    ['form feed and vertical tab, which end nothing', 'a\fb\vc', ['a\fb\vc']],
    [
      'erasing to the end of the line, which ends nothing',
      `${ESC}[01;31m${ESC}[Kloss${ESC}[m${ESC}[K: .5`,
      ['loss: .5'],
    ],
    ['a hidden cursor, which ends nothing', `${ESC}[?25la${ESC}7b${ESC}[sc${ESC}[?25h`, ['abc']],
    ['a line of codes alone, which is none', `a\n${ESC}[0m\n`, ['a']],
    ['separators of other systems, which end nothing', 'a\u2028b\u2029c', ['a\u2028b\u2029c']],
  ])('cuts %s', (_, text, lines) => {
    expect(linesOf(text)).toEqual(lines);
  });
});

describe('plainLine', () => {
  it.each([
    ['a colour', `${ESC}[32mloss 0.1${ESC}[0m`],
    ['a colour within the number', `loss 0${ESC}[1m.${ESC}[22m1`],
    ['colours of 8 and 24 bits', `${ESC}[38;5;196mloss${ESC}[48;2;1;2;3m ${ESC}[38:2::1:2:3m0.1${ESC}[m`],
    ['a sequence with a private mark and an intermediate', `${ESC}[?2026h${ESC}[2 qloss${ESC}[>4;1m 0.1${ESC}[!p`],
    ['a title that BEL ends', `${ESC}]0;epoch 3: loss 9\x07loss 0.1`],
    ['a title that ST ends', `${ESC}]2;loss 9${ESC}\\loss 0.1`],
    ['a link', `${ESC}]8;;https://a.b/c\x07loss${ESC}]8;;\x07 0.1`],
    ['a title without its end, up to the next code', `${ESC}]0;loss 9${ESC}[0mloss 0.1`],
    ['a title without its end, up to the end of the line', `loss 0.1${ESC}]0;loss 9`],
    ['a picture', `${ESC}Pq#0;2;0;0;0${ESC}\\loss 0.1`],
    ['other strings', `${ESC}_Gf=24;AAAA${ESC}\\loss${ESC}^x${ESC}\\ 0.1${ESC}Xy${ESC}\\`],
    ['a character set', `${ESC}(Bloss 0.1${ESC}[m\x0f`],
    ['escapes of one character', `${ESC}7${ESC}=loss${ESC}> 0.1${ESC}c`],
    ['a double height', `${ESC}#3loss 0.1`],
    ['a sequence that was cut', `loss 0.1${ESC}[38;5`],
    ['an escape alone', `loss 0.1${ESC}`],
    ['codes of one character', `\x9b32mloss\x9b0m 0.1\x9d0;loss 9\x9c\x84`],
    ['bells', `\x07loss 0.1\x07`],
  ])('takes out %s', (_, line) => {
    expect(plainLine(line)).toBe('loss 0.1');
  });

  it('keeps all text that is no control code', () => {
    for (const line of ['é 日本 🎉 µ\u00a0x', '\tloss\t[0.1]', 'a[31m]b', '\ufffd']) expect(plainLine(line)).toBe(line);
  });

  it('is fast for any output of a run, and reads only the first 16,384 characters', () => {
    for (const part of [ESC, `${ESC}[`, `${ESC}]`, `${ESC}[;`, `${ESC}P;`, '\x9d', `${ESC} `, ';', 'x'])
      expect(plainLine(part.repeat(2 ** 20)).length).toBeLessThanOrEqual(16_384);
  });
});

it('bytes, one per character, are cut at the same places as their text', () => {
  const text = `é 雛\r日本${ESC}[2K🎉\b\u009b31mü\n\u0088`;
  const asBytes = cutLines(Buffer.from(text).toString('latin1'));
  const back = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');
  expect({ lines: asBytes.lines.map(back), rest: back(asBytes.rest) }).toEqual(cutLines(text));
});

it('finds the text behind the first line end', () => {
  expect(afterFirstEnd('cut\r\nwhole\n')).toBe('\nwhole\n');
  expect(afterFirstEnd(`cut${ESC}[2Kwhole`)).toBe('whole');
  expect(afterFirstEnd('\nwhole')).toBe('whole');
  expect(afterFirstEnd('no end')).toBe('');
});

it('reads a control code of one byte if it is no part of a character', () => {
  const read = (bytes: Buffer): string =>
    plainLine(Buffer.from(codesInUtf8(bytes.toString('latin1')), 'latin1').toString('utf8'));
  const [csi, text] = [Buffer.from([0x9b]), 'é \u{1f6db} 雛 ś: '];
  expect(read(Buffer.concat([csi, Buffer.from(`32m${text}`), csi, Buffer.from('1m0.1'), csi, Buffer.from('m')]))).toBe(
    `${text}0.1`,
  );
  expect(read(Buffer.from(`${text}\u009b32m.1`))).toBe(`${text}.1`);
  expect(read(Buffer.from([0xe9, 0x41, 0xff]))).toBe('\ufffdA\ufffd');
});
