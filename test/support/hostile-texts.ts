/** Texts of a candidate that try to be markup, script or control characters. */
export const HOSTILE = [
  '<script>window.ran = true</script>',
  '"><img src=x onerror="window.ran = true">',
  "'/><svg onload=alert(1)>",
  'javascript:alert(1)',
  ']]><!-- & &amp; <![CDATA[',
  '\u001b[31mred\u001b[0m \u202eevil\u202c \u0000\u0007 \ud800 \uffff',
  '</style></title></textarea><script>1</script>',
] as const;
