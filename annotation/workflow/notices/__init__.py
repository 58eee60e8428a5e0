"""What the bot writes first: reminders, news, announcements, and what organisers are told; none of it at night."""
