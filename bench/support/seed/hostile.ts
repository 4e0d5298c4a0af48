/** Texts of a candidate that attack a page or a terminal that shows them. */
export const HOSTILE = {
  hypothesis: [
    `<script>globalThis.pwned = true</script> Raise the rate`,
    `"><img src=x onerror="globalThis.pwned=true"> Lower the rate`,
    '[click](javascript:globalThis.pwned=true) ' +
      'and \u001b[31mred\u001b[0m\u001b]8;;http://evil.test\u0007link\u001b]8;;\u0007',
    `rate \u202e0.1 ot esiaR\u202c \u2066hidden\u2069 \u200b\u00ad zero width`,
    `{{constructor.constructor("globalThis.pwned=true")()}} \${globalThis.pwned=true} %3Cscript%3E`,
    `NaN Infinity -0 null undefined __proto__ ${'w'.repeat(500)}`,
    `line one\r\nline two\ttab\u2028separator\u0085next`,
    `<svg onload=globalThis.pwned=true><style>*{display:none}</style><base href=//evil.test>`,
  ],
  /** Name of a file, whose content is hostile, too. */
  file: `<img src=x onerror=globalThis.pwned=true>\u202egnp.py`,
  content:
    '<script>globalThis.pwned = true</script>\n\u001b[2J\u202e# ' +
    `evil\n${'x'.repeat(1_000_000)}\n</textarea><script>globalThis.pwned=true</script>\n`,
  metric: `<b onmouseover=globalThis.pwned=true>m</b>\u202e`,
  log:
    'step 1\n\u001b[2J\u001b[31m<script>globalThis.pwned=true</script>\n\u0007\u0008\u202eabc\u202c\n' +
    `${'y'.repeat(60_000)}\n</pre><img src=x onerror=globalThis.pwned=true>\n`,
  message: `expected <img src=x onerror="globalThis.pwned=true">, got \u001b[31m\u202eNaN`,
} as const;

/** The hostile hypothesis of the trial with that number. */
export const hostileHypothesis = (n: number): string => HOSTILE.hypothesis[n % HOSTILE.hypothesis.length] ?? '';
