/**
 * Variables for a program whose output is read: its messages come in English, and its paths as UTF-8. LANGUAGE has to
 * be empty, since it wins over every locale but C. Where C.UTF-8 is missing, programs use C.
 */
export const PLAIN_OUTPUT = { LC_ALL: 'C.UTF-8', LANGUAGE: '' } as const;
