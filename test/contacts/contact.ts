/** Describes a contact as the tools return it. */
export interface Contact {
  id: string;
  external_id: string | null;
  email: string | null;
  phone: string | null;
  first_name: string | null;
  last_name: string | null;
  locale: string | null;
  timezone: string | null;
  tags: string[];
  properties: Record<string, string | number | boolean>;
  consent: Record<string, { status: string; source: string; updated_at: string }>;
  created_at: string;
  updated_at: string;
}

export interface ContactResult {
  contact: Contact;
  created: boolean;
}

export interface ContactPage {
  contacts: Contact[];
  next_cursor: string | null;
}
