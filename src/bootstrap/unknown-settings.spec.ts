import { describe, expect, it } from 'vitest';
import { ENV_NAMES } from '../config/env-names.js';
import { settingWarnings } from './unknown-settings.js';

describe(settingWarnings, () => {
  it.each([
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATABASEURL', 'DATABASE_URL'],
    ['REDIS_URI', 'REDIS_URL'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['SIGNUP', 'SIGN_UP'],
    ['SWITCHBOARD_PORT', 'PORT'],
  ])('names the setting that %s probably means', (name, meant) => {
    expect(settingWarnings([name], [name])).toEqual([
      `Warning: ${name} is not a setting of Switchboard. Did you mean ${meant}?`,
    ]);
  });

  it('reports an unknown name with the prefix of Switchboard', () => {
    expect(settingWarnings(['SWITCHBOARD_COLOUR'], [])).toEqual([
      'Warning: SWITCHBOARD_COLOUR is not a setting of Switchboard.',
    ]);
  });

  it('does not report known settings, or variables of other programs', () => {
    const others = (
      'PATH HOME HOSTNAME POST PWD LOGNAME LANG SHELL USER TERM NODE_OPTIONS NODE_PATH NODE_VERSION ' +
      'npm_config_user_agent XDG_DATA_DIRS POSTGRES_PASSWORD PGHOST PGDATABASE MAIL DISPLAY CI TZ TMPDIR'
    ).split(' ');
    expect(settingWarnings([...others, ...Object.values(ENV_NAMES)], [])).toEqual([]);
    expect(settingWarnings([], Object.values(ENV_NAMES))).toEqual([]);
  });

  it('does not report the settings of the command line', () => {
    expect(settingWarnings(['SWITCHBOARD_URL', 'SWITCHBOARD_KEY'], ['SWITCHBOARD_KEY'])).toEqual(
      [],
    );
  });

  it('does not report the other variables that docker-compose.yml reads from .env', () => {
    const names = ['POSTGRES_PASSWORD', 'POSTGRES_ADMIN_PASSWORD', 'REDIS_PASSWORD'];
    expect(settingWarnings([], names)).toEqual([]);
  });
});
