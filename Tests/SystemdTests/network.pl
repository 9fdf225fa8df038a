#!/usr/bin/perl
# The small servers around the machine that the systemd tests boot; core modules only.
#   network.pl names ADDRESS NAME ANSWER    a DNS server: A of NAME is ANSWER, AAAA none, else NXDOMAIN
#   network.pl hits PORT FILE               answers any GET with 200 and {}; notes who was reached
#   network.pl tally PORT FILE              a list with a counted total, which FILE holds
use strict;
use warnings;
use IO::Socket::INET;

my $what = shift @ARGV;
$| = 1;
if    ($what eq 'names') { names(@ARGV) }
elsif ($what eq 'hits')  { serve($ARGV[0], sub { note($ARGV[1], @_); '{}' }) }
elsif ($what eq 'tally') { serve($ARGV[0], sub { tally($ARGV[1], $_[1]) }) }
else                     { die "network.pl: unknown: $what\n" }

sub names {
    my ($address, $name, $answer) = @_;
    my $socket = IO::Socket::INET->new(Proto => 'udp', LocalAddr => $address, LocalPort => 53)
        or die "network.pl: $address:53: $!\n";
    while (defined $socket->recv(my $question, 512)) {
        next if length $question < 17;
        my ($id, $flags, $count) = unpack 'n3', $question;
        my ($at, @labels) = (12);
        while ((my $length = ord substr $question, $at, 1) > 0) {
            push @labels, substr $question, $at + 1, $length;
            $at += $length + 1;
        }
        my $type = unpack 'n', substr $question, $at + 1, 2;
        my $asked = substr $question, 12, $at + 5 - 12;
        my $is_known = lc(join '.', @labels) eq lc $name;
        my $record = $is_known && $type == 1
            ? pack('n n n N n C4', 0xc00c, 1, 1, 60, 4, split /\./, $answer) : '';
        my $reply = pack('n6', $id, 0x8180 | ($is_known ? 0 : 3), 1, length $record ? 1 : 0, 0, 0);
        $socket->send($reply . $asked . $record);
    }
}

sub serve {
    my ($port, $body) = @_;
    my $socket = IO::Socket::INET->new(
        Proto => 'tcp', LocalAddr => '0.0.0.0', LocalPort => $port, Listen => 16, ReuseAddr => 1)
        or die "network.pl: port $port: $!\n";
    while (my $client = $socket->accept) {
        my $target = '';
        while (defined(my $line = <$client>)) {
            $target = $1 if $line =~ m{^GET (\S+)};
            last if $line =~ /^\r?\n$/;
        }
        my $text = $body->($client->sockhost, $target);
        printf $client "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"
            . "Connection: close\r\n\r\n%s", length $text, $text;
        close $client;
    }
}

sub note {
    my ($file, $address, $target) = @_;
    open my $out, '>>', $file or return;
    print $out "HIT $address $target\n";
    close $out;
}

# Three things on page 1 and none behind it, whatever the total says.
sub tally {
    my ($file, $target) = @_;
    open my $in, '<', $file or die "network.pl: $file: $!\n";
    chomp(my $total = <$in>);
    close $in;
    my $page = $target =~ /[?&]page=(\d+)/ ? $1 : 1;
    my $items = $page == 1 ? join ',', map { "{\"id\":$_,\"name\":\"thing $_\"}" } 1 .. 3 : '';
    return "{\"total\":$total,\"items\":[$items]}";
}
