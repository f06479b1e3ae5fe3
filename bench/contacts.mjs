// Generates the contacts for searches, the same for every contestant, and the expected result of each search.

/** The number of organizations with contacts. Only the contacts of the first one are searched. */
export const ORGANIZATIONS = 10;
/** The id of the organization that the peers search. Switchboard gets it from the API key. */
export const PEER_ORGANIZATION = 'org_0';
/** The default page size of `search_contacts`. */
const PAGE = 20;

const FIRST_NAMES = [
  'Anna,Bela,Carlo,Dora,Emil,Fatima,Georg,Hanna,Ines,Jonas,Karin,Luca,Maria,Nils,Olga,Paul,Quinn,Rosa,Stefan,Tarek',
  'Ute,Viktor,Wanda,Xenia,Yusuf,Zoe,Alma,Boris,Clara,Deniz,Elif,Frida,Gustav,Helga,Igor,Jana,Kemal,Lea,Milan,Nora',
].flatMap((names) => names.split(','));
const BEGINNINGS = [
  'Stein,Berg,Wald,Feld,Bach,Gold,Silber,Eisen,Sonnen,Mond,Linden,Birken,Rosen,Winter,Sommer,Herbst,Nord,Ost,West',
  'Hoch,Alt,Neu,Kirsch,Apfel,Buchen,Eichen,Tannen,Kupfer,Perl,Glas,Holz,Sand,Kreuz,Markt,Hirten,Falken,Adler,Wolfs',
  'Otter,Hasen',
].flatMap((names) => names.split(','));
const ENDINGS = [
  'acker,adler,auer,baum,blum,brandt,bruck,burg,dahl,dorf,eck,egger,falk,fels,fink,fuchs,furt,gart,grub,haag,hain',
  'hardt,hauser,heim,hirsch,hof,holm,huber,kamp,kemper,kirch,klamm,lach,lehner,loh,mann,meier,moser,muth,quell,ried',
  'rohr,roth,sack,schmidt,see,stadt,thal,traut,zeller',
].flatMap((names) => names.split(','));
const SURNAMES = BEGINNINGS.length * ENDINGS.length;
const BEGAN = Date.UTC(2025, 0, 1);

/** Returns a contact as `search_contacts` does. Every surname is equally frequent, with varying first names. */
export function contactOf(organization, number) {
  const surname = (number * 379 + organization * 31) % SURNAMES;
  const firstName = FIRST_NAMES[(number + Math.floor(number / SURNAMES)) % FIRST_NAMES.length];
  const lastName =
    BEGINNINGS[surname % BEGINNINGS.length] + ENDINGS[Math.floor(surname / BEGINNINGS.length)];
  const at = new Date(BEGAN + number * 1000).toISOString();
  return {
    id: `con_${String(organization).padStart(2, '0')}${String(number).padStart(20, '0')}`,
    external_id: `crm-${organization}-${number}`,
    email: `${firstName}.${lastName}.${number}@example.com`.toLowerCase(),
    phone: `+4930${10_000_000 + number}`,
    first_name: firstName,
    last_name: lastName,
    locale: 'de-DE',
    timezone: 'Europe/Berlin',
    tags: ['customer', `group-${number % 7}`],
    properties: { plan: number % 3 === 0 ? 'pro' : 'free', seats: number % 50 },
    consent: { email: { status: 'granted', source: 'agent', updated_at: at } },
    created_at: at,
    updated_at: at,
  };
}

/**
 * Returns searches for parts of surnames, full names and parts of addresses, with the expected response to each: all
 * matches, newest first, on one page.
 */
export function searchesAmong(count) {
  if (searches.count !== count) searches = { count, all: makeSearches(count) };
  return searches.all;
}

let searches = { count: 0, all: [] };

function makeSearches(count) {
  const contacts = Array.from({ length: count }, (_, number) => contactOf(0, number)).toReversed();
  const searched = contacts.map(searchedTextOf);
  const some = Array.from({ length: 8 }, (_, index) => contacts[(index * 977 + 13) % count]);
  const texts = [
    ...some.map(({ last_name: name }) => name.slice(1)),
    ...some.map(({ first_name: first, last_name: last }) => `${first} ${last}`.toUpperCase()),
    ...some.map(({ email }) => email.slice(email.indexOf('.') + 1, email.indexOf('@') + 3)),
  ];
  return texts.map((text) => {
    const found = contacts.filter((_, index) => searched[index].includes(text.toLowerCase()));
    if (found.length > PAGE)
      throw new Error(`${found.length} contacts match ${text}, more than one page of ${PAGE}.`);
    return { text, page: { contacts: found, next_cursor: null } };
  });
}

/**
 * Returns searches whose number of matches stays the same for any number of contacts, and the contacts that each search
 * must find.
 */
export const GROWTH = {
  'search-one': (count) =>
    Array.from({ length: 8 }, (_, index) => {
      const number = Math.floor(((index + 0.5) * count) / 8);
      return { text: `.${number}@`, contacts: [contactOf(0, number)], isAll: true };
    }),
  'search-page': (count) => [
    {
      text: 'EXAMPLE.COM',
      contacts: Array.from({ length: PAGE }, (_, index) => contactOf(0, count - 1 - index)),
      isAll: false,
    },
  ],
  'search-none': () => [{ text: 'nobody is called this', contacts: [], isAll: true }],
};

function searchedTextOf({ first_name, last_name, email, phone, external_id }) {
  return `${first_name} ${last_name}\n${email}\n${phone}\n${external_id}`.toLowerCase();
}
