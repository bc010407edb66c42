/** Among the commonest of at least twelve characters in published lists; what repeats or counts is found by rule. */
const COMMONEST = new Set([
  'administrator',
  'changemechangeme',
  'changemeplease',
  'correcthorsebatterystaple',
  'defaultpassword',
  'iloveyou1234',
  'iloveyouforever',
  'internetinternet',
  'jesuschrist1',
  'letmeinletmein',
  'letmeinplease',
  'liverpool1234',
  'manchesterunited',
  'masterpassword',
  'motherfucker',
  'mypassword12',
  'mypassword123',
  'mypassword1234',
  'newpassword1',
  'newpassword123',
  'p@ssw0rd1234',
  'p@ssword1234',
  'password!123',
  'password1234',
  'password12345',
  'password123456',
  'password1234567',
  'password12345678',
  'password123456789',
  'passwordpassword',
  'passw0rd1234',
  'qazwsxedcrfv',
  'qazwsxedcrfvtgb',
  'qwerty123456',
  'qwerty1234567',
  'qwerty12345678',
  'qwerty123456789',
  'qwertyqwerty',
  'qwertyuiop12',
  'qwertyuiop123',
  'qwertyuiop[]',
  'qwertyuiopasdf',
  'qwertyuiopasdfghjkl',
  'qwertyuiopasdfghjklzxcvbnm',
  'secretpassword',
  'superadministrator',
  'temppassword',
  'temporarypassword',
  'thisismypassword',
  'trustno1trustno1',
  'unbelievable',
  'welcome12345',
  'welcome123456',
  'welcomewelcome',
  '1q2w3e4r5t6y',
  '1q2w3e4r5t6y7u',
  '1q2w3e4r5t6y7u8i',
  '1qaz2wsx3edc',
  '1qaz2wsx3edc4rfv',
  '123qweasdzxc',
  'zaq12wsxcde3',
]);

const LONGEST_PIECE = 5;
const SEQUENCES = [
  '01234567890123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
];

/** Why a password would be among the first tried, for people; undefined when it would not. `email` is whose it is. */
export function guessable(password: string, email?: string): string | undefined {
  const text = password.toLowerCase();
  if (COMMONEST.has(text)) return 'it is one of the commonest';
  if (repeats(text)) return 'it repeats a few characters';
  if (counts(text)) return 'it is a sequence of characters';
  if (email !== undefined && isMadeOf(text, email)) return 'it is made of the email address';
  return undefined;
}

/** The same one to five characters over and over. */
function repeats(text: string): boolean {
  for (let size = 1; size <= LONGEST_PIECE; size += 1) {
    if (
      text
        .slice(0, size)
        .repeat(Math.ceil(text.length / size))
        .startsWith(text)
    )
      return true;
  }
  return false;
}

/** One run along the digits, the alphabet or a row of keys, forwards or backwards. */
function counts(text: string): boolean {
  const backwards = Array.from(text).toReversed().join('');
  return SEQUENCES.some((sequence) => {
    const endless = sequence.repeat(Math.ceil(text.length / sequence.length) + 1);
    return endless.includes(text) || endless.includes(backwards);
  });
}

/** The address or its parts, and no more than a few characters beside them. */
function isMadeOf(text: string, email: string): boolean {
  const [name = '', domain = ''] = email.toLowerCase().split('@');
  const parts = [email.toLowerCase(), domain, name, domain.split('.')[0] ?? ''].filter(
    ({ length }) => length >= 3,
  );
  const rest = parts.reduce((left, part) => left.replaceAll(part, ''), text);
  return rest !== text && rest.length < 4;
}
